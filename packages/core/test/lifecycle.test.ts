import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { startupSnapshot } from 'node:v8';
import { describe, expect, it, vi } from 'vitest';
import { abortable, Lifecycle } from '../src/strategy.js';

describe('the lifecycle of a generator', () => {
  it('is closed already when abort listeners run', async () => {
    const lifecycle = new Lifecycle('counter');
    let seen: boolean | undefined;
    lifecycle.signal.addEventListener('abort', () => {
      seen = lifecycle.closed;
    });
    await lifecycle.close();
    expect(seen).toBe(true);
    expect(lifecycle.signal.reason).toMatchObject({ code: 'ERR_IDS_CLOSED' });
    expect(() => lifecycle.assertOpen()).toThrow('counter: this generator was closed');
  });

  it('is not part of a start-up snapshot, whose processes would share its ids', () => {
    const building = vi.spyOn(startupSnapshot, 'isBuildingSnapshot').mockReturnValue(true);
    expect(() => new Lifecycle('counter')).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
    building.mockRestore();
  });

  it('is open until it is closed', () => {
    const lifecycle = new Lifecycle('counter');
    expect(lifecycle.closed).toBe(false);
    expect(() => lifecycle.assertOpen()).not.toThrow();
  });

  it('releases once, and lets every closer wait for it', async () => {
    const lifecycle = new Lifecycle('counter');
    let releases = 0;
    let finish = (): void => {};
    const released = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const release = async (): Promise<void> => {
      releases++;
      await released;
    };
    let closed = 0;
    const closings = [lifecycle.close(release), lifecycle.close(release)].map((closing) =>
      closing.then(() => closed++),
    );
    await Promise.resolve();
    expect(closed).toBe(0);
    finish();
    await Promise.all(closings);
    expect(releases).toBe(1);
  });
});

describe('an abortable wait', () => {
  it('passes the result on when nobody aborts', async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.resolve(5), signal)).resolves.toBe(5);
    await expect(abortable(Promise.resolve(6), undefined)).resolves.toBe(6);
  });

  it('ends with the reason of the abort, before or after it began', async () => {
    const never = new Promise<never>(() => {});
    const reason = { why: 'test' };
    await expect(abortable(never, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const wait = abortable(never, controller.signal);
    controller.abort(reason);
    await expect(wait).rejects.toBe(reason);
  });

  it('does not leave a failure of the abandoned work unhandled', async () => {
    const controller = new AbortController();
    let fail = (_error: Error): void => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const wait = abortable(work, controller.signal);
    controller.abort('gone');
    fail(new Error('too late'));
    await expect(wait).rejects.toBe('gone');
  });

  it('leaves no listener behind, whether the work ends or the wait is aborted', async () => {
    const controller = new AbortController();
    const listeners = () => getEventListeners(controller.signal, 'abort');
    await abortable(Promise.resolve(), controller.signal);
    await setImmediate();
    expect(listeners()).toHaveLength(0);
    const wait = abortable(new Promise(() => {}), controller.signal);
    expect(listeners()).toHaveLength(1);
    controller.abort('gone');
    await expect(wait).rejects.toBe('gone');
    expect(listeners()).toHaveLength(0);
  });
});
