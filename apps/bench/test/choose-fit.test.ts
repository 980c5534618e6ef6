import { describe, expect, it } from 'vitest';
import { fitOf, PREFERRED, preference, ranked, sustainedRate } from '../src/judge/fit.js';
import { needsText, ORDER_NEEDS, TYPE_NEEDS } from '../src/judge/needs.js';
import { type Offer, rankOffers } from '../src/judge/rank.js';
import { offerOf } from '../src/report/advice.js';
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
    expect(TYPE_NEEDS).toEqual({ number: 'number', bigint: 'bigint', uuid: 'uuid', string: 'string' });
  });

  it.each([
    [{}, ''],
    [{ name: 'order' }, ''],
    [{ rate: 2_000 }, '2,000 ids/s in one process'],
    [{ unique: 'cluster' }, 'unique within the cluster'],
    [{ order: {} }, ''],
    [{ order: { cluster: 'real-time' } }, 'order across processes: real-time'],
    [{ order: { process: 'increasing' } }, 'order within a process: increasing'],
    [{ type: 'number' }, 'type number'],
    [{ rate: 7, p99Ms: 0.5 }, '7 ids/s in one process; p99 at most 0.5 ms'],
    [{ maxLength: 24 }, 'at most 24 characters'],
    [{ sync: true, offline: false }, 'synchronous calls'],
    [{ sync: false, offline: true }, 'ids without any backend'],
    [{ maxIdsLost: 0 }, 'at most 0 ids lost in a crash'],
    [{ maxIdsLost: 2_000 }, 'at most 2,000 ids lost in a crash'],
    [{ discloses: [] }, 'outsiders learn nothing from an id'],
    [{ discloses: ['time', 'volume'] }, 'outsiders learn at most time and volume'],
    [{ public: true }, 'outsiders learn nothing from an id'],
    [{ rate: 7, type: 'string', sync: true }, '7 ids/s in one process; type string; synchronous calls'],
  ] as const)('%j are written as "%s"', (needs, written) => {
    expect(needsText(needs)).toBe(written);
  });
});

describe('the sustained rate', () => {
  it('is that of the fastest way to get ids one by one', () => {
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500) }))).toBe(500);
    expect(sustainedRate(chosenCase('a', {}, { loops: [loopOf(200), loopOf(300)] }))).toBe(300);
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500), loops: [loopOf(300)] }))).toBe(500);
  });

  it('includes the waits that bursts leave out', () => {
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500, 120) }))).toBe(120);
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500, 120), loops: [loopOf(300)] }))).toBe(300);
  });

  it('takes no account of batches', () => {
    expect(sustainedRate(chosenCase('a', {}, { loops: [loopOf(200), loopOf(9_000, 100)] }))).toBe(200);
    expect(sustainedRate(chosenCase('a', {}, { loops: [loopOf(9_000, 100)] }))).toBeUndefined();
  });

  it('ends at what the format has room for', () => {
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500), maxIdsPerSecond: 400 }))).toBe(400);
    expect(sustainedRate(chosenCase('a', {}, { sync: burstsOf(500), maxIdsPerSecond: 600 }))).toBe(500);
  });

  it('is unknown where nothing was measured', () => {
    expect(sustainedRate(chosenCase('a'))).toBeUndefined();
    expect(sustainedRate(chosenCase('a', {}, { maxIdsPerSecond: 400 }))).toBeUndefined();
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
    const floor = { ...slow, latency: atRateOf(1, { p99: 6 }).latency, overloaded: false };
    for (const one of [floor, { ...floor, latency: atRateOf(1).latency, overloaded: true }]) {
      const fit = fitOf(needs, chosenCase('a', {}, { atRate: { ...slow, floor: one } }));
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
      unmet: ['id type: needs number, offers string'],
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

describe('the ranking on the page', () => {
  const offer = (strategy: string, parts: Partial<Offer> = {}): Offer => ({
    strategy,
    rate: 1_000,
    preference: [0],
    always: [],
    obfuscate: false,
    unmet: {},
    unproven: {},
    stated: [],
    ...parts,
  });
  const rank = (offers: readonly Offer[], needs: Partial<Parameters<typeof rankOffers>[1]> = {}) =>
    rankOffers(offers, { fields: [], public: false, ...needs });

  it('puts failures last, then what does not fit, then what must be obfuscated, then preference', () => {
    const offers = [
      offer('failed', { always: ['failed: crashed'] }),
      offer('unfit', { unmet: { 'type=text': ['id type', 'length'] } }),
      offer('obfuscated', { obfuscate: true }),
      offer('second', { preference: [1] }),
      offer('first'),
    ];
    expect(rank(offers, { fields: ['type=text', 'order='], public: true })).toMatchObject([
      { strategy: 'first', fits: 'yes', missing: '' },
      { strategy: 'second', fits: 'yes', missing: '' },
      { strategy: 'obfuscated', fits: 'when obfuscated', missing: '' },
      { strategy: 'unfit', fits: 'no', missing: 'id type; length' },
      { strategy: 'failed', fits: 'no', missing: 'failed: crashed' },
    ]);
  });

  it('puts what was not proven behind what was, and says so', () => {
    const offers = [
      offer('open', { preference: [0], unproven: { 'order=k-sorted': ['order beyond 11 s'] } }),
      offer('proven', { preference: [9] }),
    ];
    expect(rank(offers, { fields: ['order=k-sorted'] })).toMatchObject([
      { strategy: 'proven', fits: 'yes' },
      { strategy: 'open', fits: 'maybe', missing: 'not tested here: order beyond 11 s' },
    ]);
  });

  it('is that of the recommendation, for needs of every kind', () => {
    const order = { process: 'increasing', cluster: 'k-sorted', skewMs: 11_000 } as const;
    const cases = [
      chosenCase('failed', {}, { status: 'failed', reason: 'crashed' }),
      chosenCase('telling', { ...numbers, discloses: ['volume'] }, { loops: [loopOf(9_000)] }),
      chosenCase('untested', { order }, { sync: burstsOf(900), order: untested }),
      chosenCase('served', { backends: ['sql'] }, { sync: burstsOf(2_000), order: orderOf() }),
      chosenCase('slow', {}, { sync: burstsOf(100), order: orderOf() }),
      chosenCase('unknown'),
    ];
    const needs: [ServiceNeeds, Parameters<typeof rank>[1]][] = [
      [{}, {}],
      [{ rate: 1_000 }, { rate: 1_000 }],
      [{ order: { cluster: 'k-sorted' } }, { fields: ['order=k-sorted'] }],
      [
        { public: true, rate: 1_000 },
        { fields: ['public=on'], public: true, rate: 1_000 },
      ],
      [{ type: 'string', offline: true }, { fields: ['type=string', 'offline=on'] }],
    ];
    for (const [stated, chosen] of needs) {
      const fits = cases.map((one) => fitOf(stated, one));
      expect(
        rank(
          cases.map((one) => offerOf(one, {})),
          chosen,
        ).map(({ strategy }) => strategy),
        JSON.stringify(stated),
      ).toEqual(ranked(fits, cases).map(({ strategy }) => strategy));
    }
  });

  it('takes an offer as it is where outsiders may learn something', () => {
    expect(rank([offer('a', { obfuscate: true })])).toMatchObject([{ fits: 'yes' }]);
  });

  it('compares the rate, where it matters and was measured', () => {
    const offers = [
      offer('slow', { rate: 1_999.4 }),
      offer('even', { rate: 2_000 }),
      offer('unknown', { rate: undefined }),
    ];
    expect(rank(offers, { rate: 2_000 }).map(({ strategy, missing }) => [strategy, missing])).toEqual([
      ['even', ''],
      ['unknown', 'not tested here: 2 k ids/s, which was not measured'],
      ['slow', 'rate: needs 2,000 ids/s, measured 1,999'],
    ]);
    expect(rank([offer('none', { rate: 1 })]).map(({ fits }) => fits)).toEqual(['yes']);
    expect(rank([offer('fast', { rate: 52_000 })], { rate: 60_000 })).toMatchObject([
      { fits: 'no', missing: 'rate: needs 60 k ids/s, measured 52 k' },
    ]);
  });

  it('judges the latency at the rate that was measured, and at no other', () => {
    const atRate = {
      ...{ rate: 2_000, achieved: 2_000, processes: 4, calls: 8_000, errors: 0, overloaded: false },
      p99: 3e6,
      floor: { overloaded: false, p99: 1e5 },
    };
    const ranking = (needs: { rate: number; p99Ms: number }) =>
      rank([offer('a', { rate: 9_000, atRate })], needs).map(({ fits, missing }) => [fits, missing]);
    expect(ranking({ rate: 2_000, p99Ms: 5 })).toEqual([['yes', '']]);
    expect(ranking({ rate: 2_000, p99Ms: 2 })).toEqual([
      ['no', 'p99: needs 2 ms, measured 3 ms at 2 k ids/s'],
    ]);
    expect(ranking({ rate: 3_000, p99Ms: 5 })).toEqual([
      ['maybe', 'not tested here: p99 at 3 k ids/s, which was not measured'],
    ]);
  });
});
