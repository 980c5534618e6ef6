import { describe, expect, it } from 'vitest';
import { fitOf } from '../src/judge/fit.js';
import { bestRate } from '../src/judge/load.js';
import { needsText, ORDER_NEEDS, TYPE_NEEDS } from '../src/judge/needs.js';
import { PREFERRED, preference, ranked } from '../src/judge/rank.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import {
  atRateOf,
  burstsOf,
  chosenCase,
  loopOf,
  numbers,
  orderOf,
  uniquenessOf,
} from './support/chosen-case.js';

const untested = {
  ...orderOf(),
  untested: ['order beyond 11000 ms, of which 2000 ms of calls show nothing'],
};

/** The names in the order in which they would be chosen when nothing is needed. */
function chosenFirst(...cases: ReturnType<typeof chosenCase>[]): string[] {
  return ranked(
    cases.map((one) => fitOf({}, one)),
    cases,
  ).map(({ strategy }) => strategy);
}

describe('needs', () => {
  it('of an option are those of the level or the column that it names', () => {
    expect(ORDER_NEEDS).toEqual({
      'real-time': { cluster: 'real-time' },
      'k-sorted': { cluster: 'k-sorted' },
      increasing: { process: 'increasing' },
      none: {},
    });
    expect(TYPE_NEEDS).toEqual(['number', 'bigint', 'uuid', 'string']);
  });

  it.each([
    [{}, ''],
    [{ name: 'order' }, ''],
    [{ rate: 2_000, p99Ms: 0.5 }, 'rate: 2000, p99Ms: 0.5'],
    [{ order: { cluster: 'real-time' } }, "order: { cluster: 'real-time' }"],
    [{ type: 'string', sync: true }, "type: 'string', sync: true"],
    [{ discloses: ['time', 'volume'] }, "discloses: [ 'time', 'volume' ]"],
  ] as const)('%j are written as "%s"', (needs, written) => {
    expect(needsText(needs)).toBe(written);
  });
});

describe('the sustained rate', () => {
  it('is that of the fastest way to get ids one by one', () => {
    expect(bestRate(chosenCase('a', {}, { sync: burstsOf(500) }))?.idsPerSecond).toBe(500);
    expect(bestRate(chosenCase('a', {}, { loops: [loopOf(200), loopOf(300)] }))?.idsPerSecond).toBe(300);
    expect(bestRate(chosenCase('a', {}, { sync: burstsOf(500), loops: [loopOf(300)] }))?.idsPerSecond).toBe(
      500,
    );
  });

  it('includes the waits that bursts leave out', () => {
    expect(bestRate(chosenCase('a', {}, { sync: burstsOf(500, 120) }))?.idsPerSecond).toBe(120);
    expect(
      bestRate(chosenCase('a', {}, { sync: burstsOf(500, 120), loops: [loopOf(300)] }))?.idsPerSecond,
    ).toBe(300);
  });

  it('takes no account of batches', () => {
    expect(bestRate(chosenCase('a', {}, { loops: [loopOf(200), loopOf(9_000, 100)] }))?.idsPerSecond).toBe(
      200,
    );
    expect(bestRate(chosenCase('a', {}, { loops: [loopOf(9_000, 100)] }))?.idsPerSecond).toBeUndefined();
  });

  it('ends at what the format has room for', () => {
    expect(bestRate(chosenCase('a', {}, { sync: burstsOf(500), maxIdsPerSecond: 400 }))?.idsPerSecond).toBe(
      400,
    );
    expect(bestRate(chosenCase('a', {}, { sync: burstsOf(500), maxIdsPerSecond: 600 }))?.idsPerSecond).toBe(
      500,
    );
  });

  it('is unknown where nothing was measured', () => {
    expect(bestRate(chosenCase('a'))?.idsPerSecond).toBeUndefined();
    expect(bestRate(chosenCase('a', {}, { maxIdsPerSecond: 400 }))?.idsPerSecond).toBeUndefined();
  });
});

describe('a strategy', () => {
  it('fits where nothing went wrong and nothing is needed', () => {
    const measured = { uniqueness: uniquenessOf(0, 0), order: orderOf(), loops: [loopOf(9)] };
    expect(fitOf({}, chosenCase('a', {}, measured))).toEqual({ strategy: 'a', unmet: [], sound: true });
    expect(fitOf({}, chosenCase('a'))).toEqual({ strategy: 'a', unmet: [], sound: true });
  });

  it('whose guarantees are unknown is held to the run alone', () => {
    const { guarantees: _guarantees, ...unknown } = chosenCase('a', {}, { loops: [loopOf(9)] });
    expect(fitOf({ public: true, type: 'bigint' }, unknown)).toEqual({
      strategy: 'a',
      unmet: [],
      sound: true,
    });
    expect(fitOf({ rate: 10 }, unknown).unmet).toEqual(['rate: needs 10 ids/s, measured 9']);
  });

  it('meets a rate that it reached exactly, or that was not measured', () => {
    const unmet = (rate: number) => fitOf({ rate }, chosenCase('a', {}, { loops: [loopOf(50)] })).unmet;
    expect([unmet(49), unmet(50)]).toEqual([[], []]);
    expect(unmet(51)).toEqual(['rate: needs 51 ids/s, measured 50']);
    expect(fitOf({ rate: 2_000 }, chosenCase('a', {}, { loops: [loopOf(1_999.4)] })).unmet).toEqual([
      'rate: needs 2,000 ids/s, measured 1,999',
    ]);
    expect(fitOf({ rate: 51 }, chosenCase('a'))).toMatchObject({
      unmet: [],
      unproven: ['51 ids/s, which was not measured'],
    });
  });

  it('is held to what happened at the rate that is needed, where that was measured', () => {
    const unmet = (needs: ServiceNeeds, atRate: ReturnType<typeof atRateOf>) =>
      fitOf(needs, chosenCase('a', {}, { loops: [loopOf(9)], atRate })).unmet;
    const needs = { rate: 50_000, p99Ms: 5 };
    expect(unmet(needs, atRateOf(50_000, { p99: 5 }))).toEqual([]);
    expect(unmet(needs, atRateOf(50_000, { p99: 7.2 }))).toEqual([
      'p99: needs 5 ms, measured 7.20 ms at 50 k ids/s',
    ]);
    expect(unmet({ rate: 50_000 }, atRateOf(50_000, { p99: 7.2 }))).toEqual([]);
    expect(unmet(needs, atRateOf(50_000, { overloaded: true, achieved: 31_000 }))).toEqual([
      'rate: needs 50 k ids/s in each of 4 processes, measured 31 k',
    ]);
    expect(unmet(needs, atRateOf(50_000, { errors: 3 }))).toEqual([
      'rate: 3 of 400,000 calls failed at 50 k ids/s',
    ]);
    // The machine itself is too slow to ask: that says nothing about the strategy.
    const slow = atRateOf(50_000, { p99: 9, overloaded: true });
    const baseline = { ...slow, latency: atRateOf(1, { p99: 6 }).latency, overloaded: false };
    for (const one of [baseline, { ...baseline, latency: atRateOf(1).latency, overloaded: true }]) {
      const fit = fitOf(needs, chosenCase('a', {}, { atRate: { ...slow, baseline: one } }));
      expect(fit.unmet).toEqual([]);
      expect(fit.unproven).toEqual([
        expect.stringMatching(/^50 k ids\/s in 4 processes: this machine cannot/),
      ]);
    }
    const few = fitOf(
      needs,
      chosenCase('a', {}, { atRate: { ...atRateOf(50_000), latency: [1, 1, 1, null, null] } }),
    );
    expect(few.unproven).toEqual(['p99 at 50 k ids/s: 400,000 calls are too few']);
    expect(fitOf({ rate: 2e6, p99Ms: 1 }, chosenCase('a')).unproven).toEqual([
      'p99 at 2 M ids/s, which was not measured',
    ]);
    // Another rate than that of the run: only the most that was measured says something about it.
    expect(unmet({ rate: 10 }, atRateOf(50_000, { errors: 3 }))).toEqual([
      'rate: needs 10 ids/s, measured 9',
    ]);
    const most = (waiting?: number) => {
      const pace = { first: {}, later: waiting === undefined ? {} : { waiting }, afterMs: 1, taken: 1 };
      return fitOf({ rate: 2e6 }, chosenCase('a', {}, { sync: burstsOf(9e6), slowdown: pace }));
    };
    // Bursts of nextSync say nothing about next().
    expect(most()).toMatchObject({ unmet: [], unproven: [expect.stringMatching(/^2 M ids\/s/)] });
    expect(most(500)).toEqual({ strategy: 'a', unmet: [], sound: true });
    expect(most(501).unmet).toEqual([expect.stringMatching(/^rate: /)]);
    const elsewhere = chosenCase('a', {}, { loops: [loopOf(9e5)], atRate: atRateOf(50_000, { p99: 1 }) });
    expect(fitOf({ rate: 3_000, p99Ms: 5 }, elsewhere).unproven).toEqual([
      'p99 at 3 k ids/s, which was not measured',
    ]);
  });

  it('is held to next() at a rate, and to nextSync as well where that is needed', () => {
    const [slow, fast] = [atRateOf(2_000, { overloaded: true, achieved: 900 }), atRateOf(2_000)];
    const missed = (needs: ServiceNeeds, next: typeof fast, nextSync: typeof fast) => {
      const atRate = { ...next, nextSync };
      return fitOf({ rate: 2_000, ...needs }, chosenCase('a', {}, { atRate })).unmet.length;
    };
    expect(missed({}, slow, fast)).toBe(1);
    expect(missed({}, fast, slow)).toBe(0);
    expect(missed({ sync: true }, fast, slow)).toBe(1);
    expect(missed({ sync: true }, fast, fast)).toBe(0);
    expect(missed({ sync: true, p99Ms: 1 }, fast, atRateOf(2_000, { p99: 2 }))).toBe(1);
    expect(missed({ sync: true }, fast, atRateOf(2_000, { errors: 1 }))).toBe(1);
  });

  it.each([
    ['failed', { status: 'failed', reason: 'a worker crashed' }, 'failed: a worker crashed'],
    ['issued ids twice', { uniqueness: uniquenessOf(3) }, 'unique: issued 3 ids twice'],
    ['issued one id twice', { uniqueness: uniquenessOf(1) }, 'unique: issued 1 ids twice'],
    ['kept memory', { uniqueness: uniquenessOf(0, 8) }, 'leaks memory'],
    ['broke its order', { order: orderOf(['order: not what it claims']) }, 'order: not what it claims'],
  ] as const)('that %s in the run is ruled out', (_what, measured, unmet) => {
    expect(fitOf({}, chosenCase('a', {}, measured))).toEqual({ strategy: 'a', unmet: [unmet], sound: false });
  });

  it('is sound where only a need is not met', () => {
    expect(fitOf({ type: 'number' }, chosenCase('a'))).toEqual({
      strategy: 'a',
      unmet: [expect.stringMatching(/number.*string/)],
      sound: true,
    });
  });

  it('has to be obfuscated only where outsiders see what its ids disclose', () => {
    const telling = chosenCase('a', { ...numbers, discloses: ['volume'] });
    expect(fitOf({ public: true }, telling)).toEqual({
      strategy: 'a',
      unmet: [],
      sound: true,
      obfuscate: true,
    });
    expect(fitOf({ public: false }, telling)).toEqual({ strategy: 'a', unmet: [], sound: true });
    expect(fitOf({}, telling)).toEqual({ strategy: 'a', unmet: [], sound: true });
    expect(fitOf({ public: true }, chosenCase('a', numbers))).toEqual({
      strategy: 'a',
      unmet: [],
      sound: true,
    });
  });

  it('that cannot be obfuscated does not fit where outsiders see its ids', () => {
    const pattern = '^[a-z]+-[0-9a-f]+$';
    const telling = chosenCase('a', {
      text: { pattern, maxLength: 50, sortable: false },
      discloses: ['time', 'host'],
    });
    expect(fitOf({ public: true }, telling)).toEqual({
      strategy: 'a',
      unmet: ['public: reveals time, host, and its ids cannot be obfuscated'],
      sound: true,
    });
  });
});

describe('the sequence of strategies', () => {
  it('goes by servers first, then by order, then by rate', () => {
    const strong = { order: { process: 'increasing', cluster: 'real-time' } } as const;
    const weak = { order: { process: 'increasing', cluster: 'none' } } as const;
    const redis = { ...strong, backends: ['redis'] } as const;
    expect(
      chosenFirst(
        chosenCase('two servers', { ...strong, backends: ['redis', 'sql'] }, { loops: [loopOf(9_000)] }),
        chosenCase('one server', redis, { loops: [loopOf(5)] }),
        chosenCase('one server, faster', redis, { loops: [loopOf(6)] }),
        chosenCase('no order', weak, { loops: [loopOf(9_000)] }),
        chosenCase('some order, not measured'),
        chosenCase('some order', {}, { loops: [loopOf(1)] }),
        chosenCase('strong order', strong),
      ),
    ).toEqual([
      'strong order',
      'some order',
      'some order, not measured',
      'no order',
      'one server, faster',
      'one server',
      'two servers',
    ]);
  });

  it('has what failed in the run last, after what does not fit', () => {
    const failed = chosenCase('failed', {}, { status: 'failed', reason: 'crashed' });
    const unfit = chosenCase('unfit', { backends: ['redis', 'sql'] });
    const fits = [fitOf({}, failed), fitOf({ offline: true, type: 'number' }, unfit)];
    expect(ranked(fits, [failed, unfit]).map(({ strategy }) => strategy)).toEqual(['unfit', 'failed']);
  });

  it('has what fits as it is before what has to be obfuscated', () => {
    const telling = chosenCase('telling', { ...numbers, discloses: ['volume'] }, { loops: [loopOf(9_000)] });
    const silent = chosenCase('silent', { ...numbers, backends: ['sql'] });
    const fits = [telling, silent].map((one) => fitOf({ public: true }, one));
    expect(ranked(fits, [telling, silent]).map(({ strategy }) => strategy)).toEqual(['silent', 'telling']);
  });

  it('stays as it is among equals, and goes by the fits where nothing else is known', () => {
    expect(chosenFirst(chosenCase('b'), chosenCase('a'), chosenCase('c'))).toEqual(['b', 'a', 'c']);
    const fits = [
      { strategy: 'unfit', unmet: ['id type'], sound: true },
      { strategy: 'fit', unmet: [], sound: true },
    ];
    expect(ranked(fits, []).map(({ strategy }) => strategy)).toEqual(['fit', 'unfit']);
  });

  it('puts an order that was not tested behind one that was, and behind none that is needed', () => {
    const order = (skewMs: number) => ({ process: 'increasing', cluster: 'k-sorted', skewMs }) as const;
    const long = chosenCase('long', { order: order(11_000) }, { sync: burstsOf(900), order: untested });
    const short = chosenCase('short', { order: order(100) }, { sync: burstsOf(100), order: orderOf() });
    expect(chosenFirst(long, short)).toEqual(['short', 'long']);
    const needs = { order: { cluster: 'k-sorted' } } as const;
    expect(fitOf(needs, long)).toMatchObject({ unmet: [], unproven: untested.untested });
    expect(fitOf(needs, short)).not.toHaveProperty('unproven');
    expect(fitOf({ type: 'string' }, long)).not.toHaveProperty('unproven');
    const first = ranked([fitOf(needs, long), fitOf(needs, short)], [long, short]);
    expect(first.map(({ strategy }) => strategy)).toEqual(['short', 'long']);
  });

  it('has what was not proven behind what was, however much else speaks for it', () => {
    const needs = { rate: 2_000, p99Ms: 5 };
    const proven = chosenCase('proven', { backends: ['redis', 'sql'] }, { atRate: atRateOf(2_000) });
    const tooFew = { ...atRateOf(2_000), latency: [1, 1, 1, null, null] };
    const unproven = chosenCase('unproven', {}, { atRate: tooFew });
    const fits = [unproven, proven].map((one) => fitOf(needs, one));
    expect(fits.map(({ unmet }) => unmet)).toEqual([[], []]);
    expect(ranked(fits, [unproven, proven]).map(({ strategy }) => strategy)).toEqual(['proven', 'unproven']);
  });

  /** Each is better than `worse` in one respect. */
  const respects: readonly (readonly [string, Parameters<typeof chosenCase>[1], number])[] = [
    ['fewer servers', { backends: [] }, 100],
    ['no waiting', { sync: true }, 100],
    ['stronger order', { order: { process: 'increasing', cluster: 'real-time' } }, 100],
    ['less skew', { order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 } }, 100],
    ['speed', {}, 200],
  ];
  const worse = {
    backends: ['sql'],
    sync: false,
    order: { process: 'increasing', cluster: 'k-sorted', skewMs: 2_000 },
  } as const;
  const named = (name: string, guarantees: Parameters<typeof chosenCase>[1], idsPerSecond: number) =>
    chosenCase(name, { ...worse, ...guarantees }, { loops: [loopOf(idsPerSecond)] });

  it('goes by what the runner-up is told, in that order', () => {
    expect(respects.map(([respect]) => respect).join(', ')).toBe(PREFERRED);
    const cases = respects.map(([respect, ...figures]) => named(respect, ...figures));
    expect(chosenFirst(...cases.reverse()).join(', ')).toBe(PREFERRED);
  });

  it('prefers less skew to more ids per second', () => {
    const order = (skewMs: number) => ({ process: 'increasing', cluster: 'k-sorted', skewMs }) as const;
    const fast = chosenCase('fast', { order: order(1_001) }, { sync: burstsOf(900) });
    const close = chosenCase('close', { order: order(1_000) }, { sync: burstsOf(100) });
    expect(chosenFirst(fast, close)).toEqual(['close', 'fast']);
  });

  it('takes unknown guarantees as no server and no order', () => {
    const { guarantees: _guarantees, ...unknown } = chosenCase('unknown');
    const weak = chosenCase('weak', { order: { process: 'none', cluster: 'none' } });
    expect(preference(unknown)).toEqual(preference(weak));
    expect(
      chosenFirst(chosenCase('one server', { backends: ['sql'] }), unknown, chosenCase('some order')),
    ).toEqual(['some order', 'unknown', 'one server']);
  });
});
