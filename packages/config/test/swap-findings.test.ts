import type { Guarantees } from '@ids/core';
import { createCodec } from '@ids/encode';
import { describe, expect, it } from 'vitest';
import { planSwap, type SwapSide } from '../src/swap/index.js';
import { finding, numbers, ofNumbers, ofTexts, orders, texts, WIDE } from './swap-subject.js';

const NARROW: Guarantees = { ...numbers, text: { ...numbers.text, pattern: /^(0|[1-9][0-9]{0,15})$/ } };

type Facts = Pick<Guarantees['text'], 'prefix' | 'alphabet' | 'minLength'>;

const DIGITS = '0123456789';

/** What the patterns below say, for those that the facts can describe; the others state nothing. */
const FACTS: ReadonlyMap<string, Facts> = new Map([
  ['^a_[0-9]{3,9}$', { prefix: 'a_', alphabet: DIGITS, minLength: 5 }],
  ['^b_[0-9]{3,9}$', { prefix: 'b_', alphabet: DIGITS, minLength: 5 }],
  ['^ab_[0-9]{3,9}$', { prefix: 'ab_', alphabet: DIGITS, minLength: 6 }],
  ['^a_[0-9]{9}$', { prefix: 'a_', alphabet: DIGITS, minLength: 11 }],
  ['^ord1[0-9]{3,9}$', { prefix: 'ord1', alphabet: DIGITS, minLength: 7 }],
  ['^ord2[0-9]{3,9}$', { prefix: 'ord2', alphabet: DIGITS, minLength: 7 }],
  ['^a_(x|y)$', { prefix: 'a_', alphabet: 'xy', minLength: 3 }],
  ['^b_(x|y)$', { prefix: 'b_', alphabet: 'xy', minLength: 3 }],
  ['^(?:x-)\\w$', { prefix: 'x-', minLength: 3 }],
  ['^[0-9]{3,9}$', { alphabet: DIGITS, minLength: 3 }],
  ['^[0-9a_]{3,9}$', { alphabet: `${DIGITS}a_`, minLength: 3 }],
  ['^[0-9a-z_]{10}$', { alphabet: `${DIGITS}abcdefghijklmnopqrstuvwxyz_`, minLength: 10 }],
  ['^[1-9][0-9]{0,15}$', { alphabet: DIGITS, minLength: 1 }],
  ['^[0-9]{1,9}$', { alphabet: DIGITS, minLength: 1 }],
  ['^[0-9]{8}$', { alphabet: DIGITS, minLength: 8 }],
  ['^[0-9]{9}$', { alphabet: DIGITS, minLength: 9 }],
  ['^(?:[0-9]{9})$', { alphabet: DIGITS, minLength: 9 }],
  ['^[0-9]{9}$|^[0-9]{8}$', { alphabet: DIGITS, minLength: 8 }],
  ['^[0-9]{9}(x)?$', { alphabet: `${DIGITS}x`, minLength: 9 }],
  ['^[0-9]+[0-9]{9}$', { alphabet: DIGITS, minLength: 10 }],
  ['^\\d$', { alphabet: DIGITS, minLength: 1 }],
  ['^[0-9a-f]{24}$', { alphabet: `${DIGITS}abcdef`, minLength: 24 }],
  ['^[0-9a-f]{1,14}$', { alphabet: `${DIGITS}abcdef`, minLength: 1 }],
  ['^[0-9a-f]{8}$', { alphabet: `${DIGITS}abcdef`, minLength: 8 }],
  ['^[0-9a-f]{9}$', { alphabet: `${DIGITS}abcdef`, minLength: 9 }],
  ['^[0-9a-f]{12}$', { alphabet: `${DIGITS}abcdef`, minLength: 12 }],
  ['^a+b*$', { prefix: 'a', alphabet: 'ab', minLength: 1 }],
  ['^a{2,}$', { prefix: 'aa', alphabet: 'a', minLength: 2 }],
  ['^a{3}$', { prefix: 'aaa', minLength: 3 }],
  ['^a{5}$', { prefix: 'aaaaa', minLength: 5 }],
  ['^a*$', { alphabet: 'a', minLength: 0 }],
  ['^(?:a{5})*a{5}$', { prefix: 'aaaaa', alphabet: 'a', minLength: 5 }],
  ['^b+$', { alphabet: 'b', minLength: 1 }],
]);

/** As gpids are. */
const GPID =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]):\d{1,5}:\d{1,19}:\d{1,10}(?:;thread=\d{1,15})?;run=[0-9a-f]{16}\/\d{1,16}$/;

const OF_GPIDS: Facts = { alphabet: '0123456789abcdefhnrtu.:;=/[]', minLength: 34 };

describe('a promise that differs', () => {
  it.each([
    ['type', 'number', 'string', 'change', 'change'],
    ['width', '16 characters', '24 characters', 'change', 'change'],
    ['string form', '/^[1-9][0-9]{0,15}$/', '/^[0-9a-z]{24}$/', 'change', 'change'],
    ['unique', 'cluster', 'process', 'danger', 'change'],
    ['order in a process', 'increasing', 'none', 'danger', 'change'],
    ['order across processes', 'real-time', 'none', 'danger', 'change'],
    ['strings sort', 'no', 'yes', 'change', 'danger'],
    ['gaps', 'on-fault', 'never', 'change', 'danger'],
    ['nextSync', 'no', 'yes', 'change', 'danger'],
    ['backends', 'redis, sql', 'nothing', 'change', 'change'],
    ['discloses', 'volume', 'time', 'danger', 'danger'],
  ])('between numbers and texts: %s', (about, ofOne, ofOther, there, back) => {
    const [to, from] = [finding(about, ofNumbers, ofTexts), finding(about, ofTexts, ofNumbers)];
    expect(to).toMatchObject({ about, verdict: there, from: ofOne, to: ofOther });
    expect(from).toMatchObject({ about, verdict: back, from: ofOther, to: ofOne });
  });

  it.each([
    ['on-restart', 'on-fault', 'change'],
    ['on-fault', 'on-restart', 'danger'],
  ] as const)('gaps from %s to %s', (before, after, verdict) => {
    const [from, to] = [before, after].map((gaps) => ({ guarantees: { ...numbers, gaps } }));
    expect(from && to && finding('gaps', from, to)?.verdict).toBe(verdict);
  });

  it.each([
    ['none', 'k-sorted', 'change'],
    ['k-sorted', 'real-time', 'change'],
    ['k-sorted', 'none', 'danger'],
  ] as const)('order across processes from %s to %s', (before, after, verdict) => {
    const [from, to] = [before, after].map((cluster) => ({
      guarantees: { ...numbers, order: { process: 'increasing' as const, cluster } },
    }));
    expect(from && to && finding('order across processes', from, to)?.verdict).toBe(verdict);
  });

  it('is no danger where ids disclose less, and has no advice where nothing changes', () => {
    const silent = { guarantees: { ...numbers, discloses: [] } };
    expect(finding('discloses', ofNumbers, silent)).toMatchObject({
      verdict: 'change',
      from: 'volume',
      to: 'nothing',
    });
    expect(finding('width', ofNumbers, ofNumbers)).toEqual({
      about: 'width',
      verdict: 'same',
      from: '16 characters',
      to: '16 characters',
    });
  });
});

describe('a plan without a column', () => {
  it('says nothing of one', () => {
    const what = planSwap(ofNumbers, ofTexts).findings.map(({ about }) => about);
    expect(what.slice(-2)).toEqual(['discloses', 'overlap']);
  });
});

describe('the overlap', () => {
  const STOPPED = { stopped: true };
  const side = (sequence?: string, reserved?: bigint): SwapSide => ({
    guarantees: numbers,
    sequence,
    reserved,
  });
  const ofPattern = (pattern: RegExp, maxLength: number, facts: Facts = {}): SwapSide => {
    return { guarantees: { ...texts, text: { pattern, maxLength, ...facts, sortable: false } } };
  };

  it('is none on one sequence', () => {
    expect(planSwap(side('a', 9n), side('a', 9n)).floor).toBeUndefined();
    expect(finding('overlap', side('a', 9n), side('a', 9n))).toMatchObject({
      verdict: 'same',
      from: 'the same sequence',
      to: 'the same sequence',
    });
  });

  it('is not known where nothing says how far the old ids go', () => {
    expect(planSwap(side('a'), side('b', 7n)).floor).toBeUndefined();
    expect(finding('overlap', side('a'), side('b', 7n))).toMatchObject({
      verdict: 'danger',
      from: 'not known',
      to: 'from 8',
    });
  });

  it('is none where old processes have ended and the new sequence is at the last id, or above', () => {
    for (const reserved of [50n, 51n]) {
      expect(planSwap(side('a', 50n), side('b', reserved), undefined, STOPPED).floor).toBeUndefined();
      expect(finding('overlap', side('a', 50n), side('b', reserved), undefined, STOPPED)).toMatchObject({
        verdict: 'same',
        from: 'up to 50',
        to: `from ${reserved + 1n}`,
      });
    }
  });

  it('with old processes that run has no floor where the new sequence is above or not known', () => {
    for (const to of [side('b', 51n), side('b'), side()]) {
      const plan = planSwap(side('a', 50n), to);
      expect([plan.floor, plan.steps]).toEqual([undefined, [{ do: 'stop' }, { do: 'again' }]]);
      expect(finding('overlap', side('a', 50n), to)).toMatchObject({
        verdict: 'danger',
      });
    }
  });

  it('with old processes that run ends far above them, at what fits into the ids and the column', () => {
    const floorOf = (to: SwapSide, maxId?: bigint, room?: bigint) =>
      planSwap({ ...side('a', 50n), leap: 7n }, to, { ...orders, maxId }, { room }).floor;
    expect(floorOf(side('b', 50n))).toBe(1_000_000_057n);
    expect([floorOf(side('b', 0n), 60n, 5n), floorOf(side('b', 0n), 40n, 5n)]).toEqual([72n, 62n]);
    expect(floorOf({ ...side('b', 0n), known: 70n }, 60n, 5n)).toBe(82n);
    const ofType = (type: string, maxLength?: number) =>
      planSwap(side('a', 50n), side('b', 0n), { ...orders, type, maxLength }).floor;
    expect([ofType('integer'), ofType('smallint'), ofType('numeric', 9)]).toEqual([
      1_000_000_050n,
      undefined,
      undefined,
    ]);
    const narrow = createCodec(numbers, { as: 'hex', width: 5 }).guarantees;
    const [from, to] = [50n, 0n].map((reserved, i) => ({ guarantees: narrow, sequence: `${i}`, reserved }));
    expect(from && to && planSwap(from, to).steps).toEqual([{ do: 'stop' }, { do: 'again' }]);
  });

  it('is not planned for a table that may have lost reservations', () => {
    for (const [from, to] of [
      [{ ...side('a', 50n), pending: true }, side('b', 0n)],
      [side('a', 50n), { ...side('b', 0n), pending: true }],
    ] as const) {
      const { steps, floor, findings } = planSwap(from, to);
      expect({ steps, floor }).toEqual({ steps: [], floor: undefined });
      expect(findings).toContainEqual(
        expect.objectContaining({
          about: 'sequence',
          verdict: 'danger',
          advice: expect.stringMatching(/doctor/),
        }),
      );
    }
  });

  it('ends at a floor, the greatest id known, where old processes have ended', () => {
    const floorOf = (to: SwapSide, maxId?: bigint) =>
      planSwap(side('a', 50n), to, { ...orders, maxId }, STOPPED).floor;
    expect([floorOf(side('b', 49n)), floorOf(side('b')), floorOf(side())]).toEqual([50n, 50n, 50n]);
    expect([floorOf(side('b', 49n), 60n), floorOf(side('b', 49n), 40n)]).toEqual([60n, 50n]);
    expect(finding('overlap', side('a', 50n), side('b'))).toMatchObject({
      from: 'up to 50',
      to: 'not known',
    });
  });

  it('of numbers and strings in one column is that of its numbers', () => {
    expect(planSwap(ofTexts, side(undefined, 5n), { ...orders, maxId: 8n }).floor).toBe(8n);
    const digits = { guarantees: { ...numbers, idType: 'string' as const }, reserved: 5n };
    expect(planSwap(ofTexts, digits, { ...orders, maxId: 8n }).floor).toBe(8n);
    const padded = { guarantees: { ...numbers, text: { ...numbers.text, pattern: /^[0-9]{16}$/ } } };
    expect(planSwap(ofTexts, padded, { ...orders, maxId: 8n }).floor).toBe(8n);
    const prefixed = { ...ofPattern(/^a-[0-9]{9}$/, 11), sequence: 'b', reserved: 5n };
    expect(planSwap(side('a', 3n), prefixed, { ...orders, maxId: 8n }, STOPPED).floor).toBe(8n);
    expect(planSwap(side('a', 3n), ofTexts, { ...orders, maxId: 8n }).floor).toBeUndefined();
  });

  const LAST = 2n ** 53n - 1n;

  it('with a sequence after ids that contain the time ends at a floor, once those have stopped', () => {
    const old = { guarantees: NARROW, sequence: 'slots', reserved: 5_000n, clockAt: 4_000n };
    expect(planSwap(old, side('b', 4_999n)).floor).toBeUndefined();
    expect(finding('overlap', old, side('b', 4_999n))).toMatchObject({
      verdict: 'danger',
    });
    expect(planSwap(old, side('b', 4_999n), undefined, STOPPED).floor).toBe(5_000n);
    expect(finding('overlap', old, side('b', 4_999n), undefined, STOPPED)).toMatchObject({
      verdict: 'danger',
      from: 'up to 5000',
      to: 'from 5000',
    });
    expect(planSwap(old, side('b', 5_000n), undefined, STOPPED).floor).toBeUndefined();
    expect(finding('overlap', old, side('b', 5_000n), undefined, STOPPED)).toMatchObject({
      verdict: 'same',
    });
  });

  it('with a sequence that ends below the old ids has no floor', () => {
    const after = (reserved: bigint) => ({ guarantees: WIDE, sequence: 'slots', reserved, clockAt: 1n });
    for (const reserved of [LAST, 2n ** 60n]) {
      expect(planSwap(after(reserved), side('b', 0n)).floor).toBeUndefined();
      expect(finding('overlap', after(reserved), side('b', 0n))).toMatchObject({
        verdict: 'danger',
        from: `up to ${reserved}`,
      });
    }
    expect(planSwap(after(LAST - 1n), side('b', 0n), undefined, STOPPED).floor).toBe(LAST - 1n);
  });

  it('with ids that contain the time is none once the clock is above the old ids, and has no floor', () => {
    const young = { guarantees: NARROW, sequence: 'slots', reserved: 9_000n, clockAt: 5_000n };
    expect(finding('overlap', side('a', 5_000n), young)).toMatchObject({
      verdict: 'danger',
    });
    const late = { ...young, clockAt: 1_000_005_000n };
    expect(finding('overlap', side('a', 5_000n), late)).toMatchObject({ verdict: 'same' });
    expect(finding('overlap', side('a', 5_001n), late)).toMatchObject({ verdict: 'danger' });
    const rising = { ...side('a', 5_000n), clockAt: 4_000n, clockInAMonth: 7_000n };
    expect(finding('overlap', rising, { ...young, clockAt: 7_000n })).toMatchObject({ verdict: 'same' });
    expect(finding('overlap', rising, { ...young, clockAt: 6_999n })).toMatchObject({ verdict: 'danger' });
    expect(finding('overlap', side('a', 5_000n), young, undefined, STOPPED)).toMatchObject({
      verdict: 'same',
      from: 'up to 5000',
      to: 'from 5001',
    });
    const early = planSwap(side('a', 5_001n), young, undefined, STOPPED);
    expect([early.floor, early.steps]).toEqual([undefined, [{ do: 'wait', ms: 3_000 }, { do: 'again' }]]);
    expect(finding('overlap', side('a', 5_001n), young)).toMatchObject({
      verdict: 'danger',
    });
    expect(finding('overlap', side('a', 3n), young, { ...orders, maxId: 6_000n })?.verdict).toBe('danger');
    expect(finding('overlap', side('a'), young)).toMatchObject({ verdict: 'danger', from: 'not known' });
  });

  describe('after a fixed worker', () => {
    const fixed = (number: number, clockAt = 4_000n, layout = 'a', guarantees = NARROW): SwapSide => {
      return { guarantees, reserved: clockAt + 1_000n, clockAt, worker: { number, layout, aheadMs: 4_000 } };
    };
    const slots = (clockAt: bigint): SwapSide => ({ guarantees: NARROW, sequence: 'slots', clockAt });
    const WAIT = /5000\b.*\b4 s\b/;
    const LAYOUT = /5000\b.*\blayout\b|5001\b.*\blayout\b/;

    it('is over once it was waited for, since what is reserved is always ahead of the clock', () => {
      for (const to of [fixed(3), slots(3_750n), slots(4_999n)]) {
        expect(planSwap(fixed(3), to).steps[0]).toEqual({ do: 'stop' });
        for (const maxId of [undefined, 5_000n]) {
          const found = finding('overlap', fixed(3), to, { ...orders, maxId }, STOPPED);
          expect(found).toMatchObject({ verdict: 'danger', advice: expect.stringMatching(WAIT) });
        }
        const steps = planSwap(fixed(3), to, undefined, STOPPED).steps.map((step) => step.do);
        expect(steps).toEqual(['wait', 'deploy', 'back']);
      }
      expect(finding('overlap', fixed(3), slots(5_000n), orders, STOPPED)).toMatchObject({ verdict: 'same' });
    });

    it('is not over soon if the new ids are behind those of the same time, or behind the column', () => {
      for (const [to, maxId] of [
        [fixed(3, 3_749n, 'b'), 0n],
        [slots(3_749n), 0n],
        [slots(4_000n), 5_001n],
      ] as const) {
        const found = finding('overlap', fixed(3), to, { ...orders, maxId }, STOPPED);
        expect(found).toMatchObject({ verdict: 'danger', advice: expect.stringMatching(LAYOUT) });
      }
    });

    it('is none with another worker of the same layout, unless ids are obfuscated', () => {
      expect(finding('overlap', fixed(3), fixed(4))).toMatchObject({
        verdict: 'same',
        from: 'worker 3',
        to: 'worker 4',
      });
      expect(finding('overlap', fixed(3), fixed(4, 4_000n, 'b'))).toMatchObject({ verdict: 'danger' });
      const hidden: Guarantees = { ...NARROW, order: { process: 'none', cluster: 'none' } };
      for (const [from, to] of [
        [fixed(3, 4_000n, 'a', hidden), fixed(4)],
        [fixed(3), fixed(4, 4_000n, 'a', hidden)],
        [fixed(3, 4_000n, 'a', hidden), fixed(4, 4_000n, 'a', hidden)],
      ] as const) {
        expect(finding('overlap', from, to)?.verdict).not.toBe('same');
      }
      const short = { ...NARROW, text: { ...NARROW.text, pattern: /^[0-9]{1,16}$/ } };
      expect(finding('overlap', fixed(3), fixed(4, 4_000n, 'a', short))?.verdict).toBe('danger');
    });

    it('is over for a sequence above what the worker could reach when it was stopped', () => {
      expect(planSwap(fixed(3), side('b', 4_999n)).floor).toBeUndefined();
      expect(planSwap(fixed(3), side('b', 4_999n), undefined, STOPPED).floor).toBe(5_000n);
    });
  });

  it('of obfuscated numbers is not that of their order', () => {
    const none = { process: 'none', cluster: 'none' } as const;
    const hidden = { guarantees: { ...NARROW, order: none }, sequence: 'a', reserved: 5n };
    for (const [from, to] of [
      [hidden, side('b', 9n)],
      [side('b', 9n), hidden],
    ] as const) {
      expect(finding('overlap', from, to)).toMatchObject({
        verdict: 'danger',
      });
      expect(planSwap(from, to).steps).toEqual([]);
    }
  });

  it('of two generators with ids of one form depends on both', () => {
    expect(finding('overlap', ofTexts, ofTexts)).toMatchObject({
      verdict: 'change',
      from: '/^[0-9a-z]{24}$/',
      to: '/^[0-9a-z]{24}$/',
    });
  });

  it.each([
    [/^a_[0-9]{3,9}$/, 11, /^b_[0-9]{3,9}$/, 11, true],
    [/^a_[0-9]{3,9}$/, 11, /^[0-9]{3,9}$/, 9, true],
    [/^[0-9]{3,9}$/, 9, /^a_[0-9]{3,9}$/, 11, true],
    [/^a_[0-9]{3,9}$/, 11, /^[0-9a_]{3,9}$/, 9, false],
    [/^[1-9][0-9]{0,15}$/, 16, GPID, 139, true],
    [GPID, 139, /^[0-9a-f]{24}$/, 24, true],
    [/^[1-9][0-9]{0,15}$/, 16, /^[0-9a-f]{1,14}$/, 14, false],
    [/^a+b*$/, 9, /^a{3}$/, 3, false],
    [/^a+b*$/, 9, /^b+$/, 9, true],
    [/^a{2,}$/, 9, /^a$/, 1, true],
    [/^a{2,}$/, 9, /^a{5}$/, 5, false],
    [/^(?:x-)?\w$/, 3, /^\d$/, 1, false],
    [/^(?:x-)\w$/, 3, /^\d$/, 1, true],
    [/^[\d-]$/, 1, /^-$/, 1, false],
    [/^a*$/, 4, /^(?:a{5})*a{5}$/, 9, true],
    [/^a|b$/, 1, /^c$/, 1, false],
    [/^a$/i, 1, /^B$/, 1, false],
    [/^(?=a)a$/, 1, /^b$/, 1, false],
    [/^[^a]$/, 1, /^a$/, 1, false],
    [/^a\b$/, 1, /^b$/, 1, false],
    [/^.$/, 1, /^b$/, 1, false],
    [/^(?:[0-9]{999}){999}$/, 999_999, /^b$/, 1, false],
    [/^ab_[0-9]{3,9}$/, 12, /^b_[0-9]{3,9}$/, 11, true],
    [/^b_[0-9]{3,9}$/, 11, /^ab_[0-9]{3,9}$/, 12, true],
    [/^a_[0-9]{9}$/, 11, /^[0-9a-z_]{10}$/, 10, true],
    [/^ord1[0-9]{3,9}$/, 13, /^ord2[0-9]{3,9}$/, 13, true],
    [/(?:^a_[0-9]+$|^b_[0-9]+$)/, 11, /^b_[0-9]{3,9}$/, 11, false],
    [/^[0-9]{9}$|^[0-9]{8}$/, 9, /^[0-9a-f]{8}$/, 8, false],
    [/^[0-9]+$|^[0-9]{9}$/, 9, /^[0-9a-f]{8}$/, 8, false],
    [/^a_(x|y)$/, 3, /^b_(x|y)$/, 3, true],
    [/^[0-9]{9}$/, 9, /^[0-9a-f]{8}$/, 8, true],
    [/^[0-9]{8}$/, 8, /^[0-9a-f]{9}$/, 9, true],
    [/^[0-9]{9}$/, 9, /^[0-9a-f]{9}$/, 9, false],
    [/^(?:[0-9]{9})$/, 9, /^[0-9a-f]{8}$/, 8, true],
    [/^[0-9]{1,9}$/, 9, /^[0-9a-f]{8}$/, 8, false],
    [/^[0-9]{9}(x)?$/, 10, /^[0-9a-f]{9}$/, 9, false],
    [/^[0-9]+[0-9]{9}$/, 19, /^[0-9a-f]{12}$/, 12, false],
    [/[0-9]{9}$/, 19, /^[0-9a-f]{12}$/, 12, false],
  ])('of %s (%d) with %s (%d) is none: %s', (before, beforeLength, after, afterLength, apart) => {
    const [from, to] = [
      ofPattern(before, beforeLength, FACTS.get(before.source) ?? (before === GPID ? OF_GPIDS : {})),
      ofPattern(after, afterLength, FACTS.get(after.source) ?? (after === GPID ? OF_GPIDS : {})),
    ];
    expect(finding('overlap', from, to)).toMatchObject({
      verdict: apart ? 'same' : 'change',
      from: String(before),
      to: String(after),
    });
  });
});
