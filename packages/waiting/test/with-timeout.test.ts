import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withTimeout } from '../src/with-timeout.js';

it('keeps one listener on each parent for all work, and none after it', async () => {
  const parents = [new AbortController(), new AbortController()];
  const [closed, given] = parents.map(({ signal }) => signal);
  const listeners = () =>
    [closed, given].map((signal) => signal && getEventListeners(signal, 'abort').length);
  const late = () => new Error('too late');
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const working = Array.from({ length: 20 }, () => withTimeout(10_000, [closed, given], late, () => ended));
  expect(listeners()).toEqual([1, 1]);
  end();
  await Promise.all(working);
  expect(listeners()).toEqual([0, 0]);
  const endless = withTimeout(10_000, [closed, given], late, () => new Promise(() => undefined));
  parents[1]?.abort('enough');
  await expect(endless).rejects.toBe('enough');
  await expect(withTimeout(10_000, given, late, () => ended)).rejects.toBe('enough');
  expect(listeners()).toEqual([0, 0]);
});
