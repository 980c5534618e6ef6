import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable, onAbort } from '../src/strategy.js';

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

it('calls all callbacks of a signal in their order, once, through one listener', () => {
  const controller = new AbortController();
  const called: string[] = [];
  for (const name of ['first', 'second', 'third']) onAbort(controller.signal, () => called.push(name));
  expect(listenersOf(controller.signal)).toBe(1);
  controller.abort();
  expect(called).toEqual(['first', 'second', 'third']);
  expect(listenersOf(controller.signal)).toBe(0);
});

it('calls no callback that was taken back, also not by a callback before it', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const forgetFirst = onAbort(controller.signal, () => called.push('first'));
  onAbort(controller.signal, () => {
    called.push('second');
    forgetThird();
  });
  const forgetThird = onAbort(controller.signal, () => called.push('third'));
  forgetFirst();
  forgetFirst();
  controller.abort();
  expect(called).toEqual(['second']);
});

it('counts a callback twice that is given twice', () => {
  const controller = new AbortController();
  let calls = 0;
  const callback = (): void => void calls++;
  const forget = onAbort(controller.signal, callback);
  onAbort(controller.signal, callback);
  forget();
  controller.abort();
  expect(calls).toBe(1);
});

it('leaves no listener on a signal once every callback was taken back, and begins anew after that', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const forgets = [1, 2, 3].map(() => onAbort(signal, () => {}));
  for (const forget of forgets) forget();
  expect(listenersOf(signal)).toBe(0);
  let called = false;
  onAbort(signal, () => {
    called = true;
  });
  controller.abort();
  expect(called).toBe(true);
});

it('keeps any number of abortable promises on one listener, until the last of them settled', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const settle: (() => void)[] = [];
  const waiting = Array.from({ length: 100 }, () =>
    abortable(new Promise<void>((resolve) => settle.push(resolve)), signal),
  );
  expect(listenersOf(signal)).toBe(1);
  for (const resolve of settle.slice(50)) resolve();
  await Promise.all(waiting.slice(50));
  controller.abort(new Error('over'));
  const results = await Promise.allSettled(waiting.slice(0, 50));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(listenersOf(signal)).toBe(0);
  await expect(abortable(new Promise(() => {}), signal)).rejects.toThrow('over');
});
