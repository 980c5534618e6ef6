import { describe, expect, it } from 'vitest';
import { assertHistory, checkHistory, emptyHistory } from '../../src/index.js';
import { historyOf, historyOfCalls } from './histories.js';

describe('a history', () => {
  it('tells who gave an id twice, when, and next to which ids', () => {
    const history = historyOf([1, 0, 1, 1041], [1, 12.3, 12.9, 1042], [3, 4, 15.5, 1042], [3, 16, 17, 1043]);
    expect(checkHistory(history, { levels: ['unique'] })).toMatchObject({
      ok: false,
      ids: 4,
      counts: { unique: 1 },
      messages: [
        'unique: id 1042 given twice: process 1 call 2 (12.300 ms .. 12.900 ms), after 1041 and its last; ' +
          'and process 3 call 1 (4.000 ms .. 15.500 ms), its first and before 1043',
      ],
    });
  });

  it('counts every surplus copy of an id', () => {
    const history = historyOf([1, 0, 1, 7, 7], [2, 0, 1, 7], [3, 0, 1, 8]);
    expect(checkHistory(history, { levels: ['unique'] }).counts.unique).toBe(2);
  });

  it('tells which call got a lower id after another had completed', () => {
    const history = historyOf([1, 0, 1, 20], [2, 2, 3, 10]);
    expect(checkHistory(history, { levels: ['real-time'] }).messages).toEqual([
      'real-time: id 10 is not above 20, which had been given before it was asked for: ' +
        'process 2 call 1 (2.000 ms .. 3.000 ms) got 10, process 1 call 1 (0.000 ms .. 1.000 ms) had got 20',
    ]);
  });

  it('lets calls that overlap have their ids in any order', () => {
    const history = historyOf([1, 0, 2, 20], [2, 1, 3, 10], [1, 2, 4, 15]);
    expect(checkHistory(history, { levels: ['unique', 'real-time', 'increasing'] }).ok).toBe(true);
    expect(checkHistory(history, { levels: ['fifo'] }).messages).toEqual([
      'fifo: id 15 comes after 20: process 1 call 1 (0.000 ms .. 2.000 ms) got 20, ' +
        'then process 1 call 2 (2.000 ms .. 4.000 ms) got 15',
    ]);
  });

  it('may be k-sorted within one skew and not within a smaller one', () => {
    const history = historyOf([1, 0, 1, 20], [2, 11, 12, 10]);
    expect(checkHistory(history, { levels: ['k-sorted'], skewMs: 10 }).ok).toBe(true);
    expect(checkHistory(history, { levels: ['k-sorted'], skewMs: 9.999 }).ok).toBe(false);
  });

  it('compares texts by code unit unless told otherwise', () => {
    const history = historyOf([1, 0, 1, 'n9'], [1, 2, 3, 'n10']);
    const byNumber = (a: unknown, b: unknown) => Number(String(a).slice(1)) - Number(String(b).slice(1));
    expect(checkHistory(history, { levels: ['increasing'] }).ok).toBe(false);
    expect(checkHistory(history, { levels: ['increasing'], compare: byNumber }).ok).toBe(true);
  });

  it('is violated by a call that never settled, whatever is asked', () => {
    const history = { ...historyOf([1, 0, 1, 5]), unsettled: [{ process: 1, call: 2, invoke: 2e6 }] };
    expect(checkHistory(history, { levels: [] })).toMatchObject({
      ok: false,
      messages: ['settled: process 1 call 2 (2.000 ms .. never) neither resolved nor rejected'],
    });
  });

  it('is not violated by calls that failed', () => {
    const failure = { process: 1, call: 1, invoke: 0, complete: 1, code: 'ERR_IDS_TIMEOUT', message: '' };
    expect(checkHistory({ ...emptyHistory(), failures: [failure] }, { levels: ['unique'] })).toMatchObject({
      ok: true,
      ids: 0,
    });
  });

  it('describes five violations of a level and counts the rest', () => {
    const calls = Array.from({ length: 50 }, (_, n): [number, number, number, number] => [1, n, n + 1, 1]);
    const verdict = checkHistory(historyOf(...calls), { levels: ['unique'] });
    expect(verdict.messages).toHaveLength(5);
    expect(verdict.counts.unique).toBe(49);
  });

  it('of mixed types is refused, since its ids have no order', () => {
    const history = historyOf([1, 0, 1, 1], [1, 2, 3, '2']);
    expect(() => checkHistory(history, { levels: ['unique'] })).toThrow('one type, got number and string');
  });

  it('is refused when k-sorted is asked without a skew', () => {
    expect(() => checkHistory(historyOf([1, 0, 1, 1]), { levels: ['k-sorted'] })).toThrow(
      'level k-sorted needs skewMs, milliseconds from 0, got undefined',
    );
  });

  it('that is violated throws, with the totals first', () => {
    const history = historyOf([1, 0, 1, 2], [2, 2, 3, 2]);
    expect(() => assertHistory(history, { levels: ['unique', 'real-time'] })).toThrow(
      /^the history is violated \(1 x unique, 1 x real-time\)\nunique: id 2 given twice/,
    );
  });

  it('of 200,000 ids is checked as a whole', () => {
    const calls = Array.from({ length: 200_000 }, (_, n): [number, number, number, number] => [
      1 + (n % 4),
      n,
      n + 0.5,
      n === 150_000 ? 7 : n,
    ]);
    const { counts } = checkHistory(historyOfCalls(calls), {
      levels: ['unique', 'increasing', 'fifo', 'real-time', 'k-sorted'],
      skewMs: 0,
    });
    expect(counts).toEqual({
      settled: 0,
      unique: 1,
      increasing: 1,
      fifo: 1,
      'real-time': 1,
      'k-sorted': 1,
    });
  });
});
