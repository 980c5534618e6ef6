import { describe, expect, it } from 'vitest';
import { assertHistory, checkHistory, emptyHistory } from '../../src/index.js';
import { historyOf } from './histories.js';

const EVERY_LEVEL = ['unique', 'increasing', 'fifo', 'real-time', 'k-sorted'] as const;

describe('the checker', () => {
  it('throws nothing for a history that holds, an empty one included', () => {
    const checks = { levels: EVERY_LEVEL, skewMs: 0 };
    expect(() => assertHistory(historyOf([1, 0, 1, 1, 2], [1, 2, 3, 3]), checks)).not.toThrow();
    expect(checkHistory(emptyHistory(), checks)).toMatchObject({ ok: true, ids: 0, messages: [] });
  });

  it('writes a sentence on a line of its own for each violation, and totals of what is violated only', () => {
    const history = historyOf([1, 0, 1, 2], [2, 2, 3, 2], [3, 4, 5, 2]);
    expect(() => assertHistory(history, { levels: ['unique', 'real-time', 'fifo'] })).toThrow(
      /^the history is violated \(2 x unique, 2 x real-time\)(\nunique: [^\n]+){2}(\nreal-time: [^\n]+){2}$/,
    );
  });

  it.each([-1, Number.NaN])('refuses a skew of %d', (skewMs) => {
    expect(() => checkHistory(historyOf([1, 0, 1, 1]), { levels: ['k-sorted'], skewMs })).toThrow(
      new TypeError(`level k-sorted needs skewMs, milliseconds from 0, got ${skewMs}`),
    );
  });

  it('counts time from the first call of all, also when that one failed or never settled', () => {
    const history = historyOf([1, 5, 6, 7], [1, 8, 9, 7]);
    const failure = { process: 2, call: 1, invoke: 2e6, complete: 3e6, code: 'ERR', message: '' };
    const unsettled = { process: 2, call: 2, invoke: 1e6 };
    const first = (more: object) =>
      checkHistory({ ...history, ...more }, { levels: ['fifo'] }).messages.at(-1);
    expect(first({})).toContain('process 1 call 1 (0.000 ms .. 1.000 ms)');
    expect(first({ failures: [failure] })).toContain('process 1 call 1 (3.000 ms .. 4.000 ms)');
    expect(first({ unsettled: [unsettled] })).toContain('process 1 call 1 (4.000 ms .. 5.000 ms)');
  });

  it('takes calls of which one ended when the other began for calls that overlap', () => {
    const history = historyOf([1, 0, 1, 2], [2, 1, 2, 1]);
    expect(checkHistory(history, { levels: ['real-time'] }).counts['real-time']).toBe(0);
    const later = historyOf([1, 0, 1, 2], [2, 1.000001, 2, 1]);
    expect(checkHistory(later, { levels: ['real-time'] }).counts['real-time']).toBe(1);
  });

  it('compares the highest id of a batch with the lowest of a later one, past calls without ids', () => {
    const history = historyOf([1, 0, 1, 3, 9, 4], [2, 2, 3], [3, 4, 5, 12, 8, 11]);
    expect(checkHistory(history, { levels: ['real-time'] }).messages).toEqual([
      'real-time: id 8 is not above 9, which had been given before it was asked for: ' +
        'process 3 call 1 (4.000 ms .. 5.000 ms) got 8, process 1 call 1 (0.000 ms .. 1.000 ms) had got 9',
    ]);
  });

  it('remembers the highest id of all calls that completed, not of the last one', () => {
    const history = historyOf([1, 0, 1, 9], [2, 2, 3, 10], [1, 4, 5, 3], [2, 6, 7, 10]);
    const { counts, messages } = checkHistory(history, { levels: ['real-time'] });
    expect(counts['real-time']).toBe(2);
    expect(messages.at(-1)).toContain('id 10 is not above 10');
  });

  it('names the call that gave the highest id first', () => {
    const history = historyOf([1, 0, 1, 5], [2, 2, 3, 5], [3, 4, 5, 5]);
    expect(checkHistory(history, { levels: ['real-time'] }).messages).toEqual([
      'real-time: id 5 is not above 5, which had been given before it was asked for: ' +
        'process 2 call 1 (2.000 ms .. 3.000 ms) got 5, process 1 call 1 (0.000 ms .. 1.000 ms) had got 5',
      'real-time: id 5 is not above 5, which had been given before it was asked for: ' +
        'process 3 call 1 (4.000 ms .. 5.000 ms) got 5, process 1 call 1 (0.000 ms .. 1.000 ms) had got 5',
    ]);
  });

  it('names the first of several ids that are equal in the order that was handed in', () => {
    const history = historyOf([1, 0, 1, 21, 22], [2, 2, 3, 11, 12]);
    const compare = (a: unknown, b: unknown) => Math.trunc(Number(a) / 10) - Math.trunc(Number(b) / 10);
    const [message] = checkHistory(history, { levels: ['real-time'], compare }).messages;
    expect(message).toContain('id 11 is not above 21, ');
  });

  it('holds each process to its own order', () => {
    const history = historyOf([1, 0, 1, 5], [2, 2, 3, 1], [1, 4, 5, 6], [2, 6, 7, 2]);
    expect(checkHistory(history, { levels: ['increasing', 'fifo'] }).ok).toBe(true);
    const fell = historyOf([1, 0, 1, 5], [2, 2, 3, 1], [1, 4, 5, 4], [2, 6, 7, 2]);
    expect(checkHistory(fell, { levels: ['increasing', 'fifo'] }).counts).toMatchObject({
      increasing: 1,
      fifo: 1,
    });
  });

  it('sees that ids fall or repeat inside a batch', () => {
    for (const ids of [
      [1, 3, 2],
      [1, 2, 2],
    ]) {
      const { counts } = checkHistory(historyOf([1, 0, 1, ...ids]), { levels: ['increasing', 'fifo'] });
      expect(counts).toMatchObject({ increasing: 1, fifo: 1 });
    }
  });
});
