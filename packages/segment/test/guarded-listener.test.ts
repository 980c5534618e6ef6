import { describe, expect, it, vi } from 'vitest';
import { guardedListener } from '../src/index.js';

/** The next warning of this process, as `process.emitWarning` makes it. */
function nextWarning(): Promise<Error & { readonly detail?: string }> {
  return new Promise((resolve) => process.once('warning', resolve));
}

describe('a listener of the user', () => {
  it.each([
    ['throws an error', () => fail(new Error('of the user'))],
    ['throws what is no error', () => fail('of the user')],
    ['rejects', async () => fail(new Error('of the user'))],
    [
      'gives a thenable that rejects',
      // biome-ignore lint/suspicious/noThenProperty: what a listener of another library may return
      () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error('of the user')) }),
    ],
  ])('that %s becomes a process warning', async (_, listener: () => unknown) => {
    const warned = nextWarning();
    guardedListener<string>(listener as (event: string) => void)('event');
    expect((await warned).message).toContain('of the user');
  });

  it('is named where what it throws is no error and has no stack', async () => {
    const warned = nextWarning();
    guardedListener(() => fail('of the user'))('event');
    expect((await warned).detail).toBe('thrown by onEvent');
  });

  it('gets each event, and may return anything or be missing', () => {
    const events: string[] = [];
    // biome-ignore lint/suspicious/noThenProperty: what a listener of another library may return
    for (const returned of [undefined, null, 5, { then: 'no function' }]) {
      guardedListener<string>((event) => {
        events.push(event);
        return returned as undefined;
      })('event');
    }
    expect(events).toEqual(['event', 'event', 'event', 'event']);
    const warn = vi.spyOn(process, 'emitWarning');
    guardedListener(undefined)('event');
    expect(warn).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

function fail(reason: unknown): never {
  throw reason;
}
