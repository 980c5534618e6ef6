import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { duringLife } from '../src/request-life.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs work that reads its signal and ends with the returned function. */
function begin(timeoutMs?: number) {
  const client = new AbortController();
  const request = new Request('http://ids', { signal: client.signal });
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  let signal = client.signal;
  const ended = duringLife(request, timeoutMs, (life) => {
    signal = life.signal;
    return work;
  });
  const finish = (): Promise<void> => {
    end();
    return ended;
  };
  return { client, signal, end: finish };
}

it('ends when the client has gone, with an error whatever the reason of the server is', async () => {
  const { client, signal, end } = begin();
  client.abort('gone');
  expect(signal.reason).toMatchObject({ name: 'AbortError' });
  await end();
});

it.each([
  [5, 5],
  [60_000, 30_000],
  [undefined, 30_000],
])('of a client that waits for %s ms, ends after %s ms', async (timeoutMs, endsAfter) => {
  const { signal, end } = begin(timeoutMs);
  vi.advanceTimersByTime(endsAfter - 1);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  await end();
});

it('leaves no timer behind, and does not look at the client any more', async () => {
  const { client, signal, end } = begin();
  await end();
  client.abort();
  expect([vi.getTimerCount(), signal.aborted]).toEqual([0, false]);
});

it('needs no timer for work that reads no signal', async () => {
  await duringLife(new Request('http://ids'), 5, async () => {
    expect(vi.getTimerCount()).toBe(0);
  });
});
