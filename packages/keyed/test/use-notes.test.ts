import { expect, it, onTestFinished, vi } from 'vitest';
import { UseNotes } from '../src/table/use-notes.js';

it('gives a note up after two seconds, so that nobody waits for a connection that is frozen', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const signals: AbortSignal[] = [];
  const notes = new UseNotes((_family, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  notes.read('message', 60);
  notes.used('message');
  const settled = notes.settled();
  await vi.advanceTimersByTimeAsync(2_000);
  await settled;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
