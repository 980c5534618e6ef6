import type { Guarantees } from '@ids/core';
import { createCodec } from '@ids/encode';
import { describe, expect, it } from 'vitest';
import { type ColumnFacts, planSwap, type SwapPlan } from '../src/swap/index.js';
import { numbers } from './swap-subject.js';

const texts: Guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: {
    pattern: /^[0-9a-f]{24}$/,
    alphabet: '0123456789abcdef',
    minLength: 24,
    maxLength: 24,
    sortable: true,
  },
  backends: [],
  discloses: ['time', 'volume'],
};
const column: ColumnFacts = { name: 'orders.id', type: 'bigint', ignoresCase: false };

const about = ({ findings }: SwapPlan, what: string) => findings.find((finding) => finding.about === what);

describe('a swap plan', () => {
  it('finds nothing to do between two generators on one sequence with the same promises', () => {
    const side = { guarantees: numbers, sequence: 'db/id_segment/order' };
    const plan = planSwap(side, side, column);
    expect(plan.findings.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
    expect(plan.floor).toBeUndefined();
  });

  it.each([
    ['one row', 'db/id_segment/order', /"name".*column/],
    ['two rows', 'db/id_segment/message', /^(?!.*"name").*column/],
  ])('has no step between keys and one sequence: %s', (_what, sequence, advice) => {
    const [keyed, plain] = [
      { guarantees: { ...numbers, within: 'key' } as const, sequence: 'db/id_segment/order' },
      { guarantees: numbers, sequence },
    ];
    for (const [from, to] of [
      [keyed, plain],
      [plain, keyed],
    ] as const) {
      const plan = planSwap(from, to, column);
      expect(plan).toMatchObject({ findings: [{ about: 'keys', verdict: 'danger' }], steps: [] });
      expect(about(plan, 'keys')?.advice).toMatch(advice);
    }
  });

  it('tells type, width, order and what else changes from numbers to strings', () => {
    const plan = planSwap({ guarantees: numbers }, { guarantees: texts }, column);
    expect(
      plan.findings.filter(({ verdict }) => verdict !== 'same').map(({ about, verdict }) => [about, verdict]),
    ).toEqual([
      ['type', 'change'],
      ['width', 'change'],
      ['string form', 'change'],
      ['order across processes', 'danger'],
      ['strings sort', 'change'],
      ['gaps', 'danger'],
      ['nextSync', 'change'],
      ['backends', 'change'],
      ['discloses', 'danger'],
      ['column', 'danger'],
    ]);
  });

  it('says where the sequence must start so that no id comes again', () => {
    const from = { guarantees: numbers, sequence: 'a', reserved: 1_999n };
    const plan = planSwap(
      from,
      { guarantees: numbers, sequence: 'b', reserved: 0n },
      { ...column, maxId: 48_001n },
      { stopped: true },
    );
    expect(plan.floor).toBe(48_001n);
    expect(about(plan, 'overlap')).toMatchObject({
      verdict: 'danger',
      from: 'up to 48001',
      to: 'from 1',
    });
  });

  it('takes what was reserved for given, when that is more than the column holds', () => {
    const from = { guarantees: numbers, sequence: 'a', reserved: 50_000n };
    const plan = planSwap(
      from,
      { guarantees: numbers, sequence: 'b', reserved: 49_999n },
      { ...column, maxId: 48_001n },
      { stopped: true },
    );
    expect(plan.floor).toBe(50_000n);
  });

  it('wants no floor of a sequence that stands above all ids', () => {
    const to = { guarantees: numbers, sequence: 'b', reserved: 48_001n };
    const plan = planSwap({ guarantees: texts }, to, { ...column, maxId: 48_001n });
    expect(plan.floor).toBeUndefined();
    expect(about(plan, 'overlap')?.verdict).toBe('same');
  });

  it('says what has to be made first, and plans all the same', () => {
    const from = { guarantees: numbers, sequence: 'a', reserved: 5_000n };
    const to = { guarantees: numbers, sequence: 'b', reserved: 0n, missing: 'table id_segment' };
    const plan = planSwap(from, to);
    expect(plan.floor).toBe(1_000_005_000n);
    expect(plan.steps).toEqual([
      { do: 'create', what: 'table id_segment' },
      { do: 'raise', floor: 1_000_005_000n },
      { do: 'deploy', beside: true },
      { do: 'check', floor: 1_000_005_000n },
      { do: 'back', how: 'as-before' },
    ]);
    expect(about(plan, 'sequence')).toMatchObject({
      verdict: 'change',
      from: 'nothing missing',
      to: 'missing',
    });
    expect(about(planSwap(to, from), 'sequence')).toMatchObject({
      from: 'missing',
      to: 'nothing missing',
    });
    expect(about(planSwap(from, { ...to, missing: undefined }), 'sequence')).toBeUndefined();
  });

  it('hides nothing: what it could not learn is a danger', () => {
    const plan = planSwap({ guarantees: numbers, sequence: 'a' }, { guarantees: numbers, sequence: 'b' });
    expect(about(plan, 'overlap')).toMatchObject({ verdict: 'danger', from: 'not known', to: 'not known' });
  });

  it('sees that encoded ids of two sequences are one form, and want a floor', () => {
    const { guarantees } = createCodec(numbers, { as: 'base62', width: 9, prefix: 'ord_' });
    const plan = planSwap(
      { guarantees, sequence: 'a', reserved: 5_000n },
      { guarantees, sequence: 'b', reserved: 0n },
    );
    expect(plan.floor).toBe(1_000_005_000n);
  });

  it.each([
    [{ as: 'hex' }, { as: 'base62' }, 'danger'],
    [{ as: 'hex' }, { as: 'base62', prefix: 'o_' }, 'same'],
    [{ as: 'base62' }, { as: 'base62', prefix: 'o' }, 'danger'],
    [{ as: 'hex', prefix: 'h_' }, { as: 'base62', prefix: 'o_' }, 'same'],
    [{ as: 'hex', width: 14 }, { as: 'base62', width: 9 }, 'same'],
    [{ as: 'hex', width: 14 }, { as: 'hex', width: 14 }, 'same'],
  ] as const)(
    'tells whether one sequence in other texts, %j and %j, can repeat a text',
    (before, after, verdict) => {
      const sequence = 'db/id_segment/order';
      const [from, to] = [before, after].map((options) => createCodec(numbers, options).guarantees);
      if (from === undefined || to === undefined) throw new Error('both were made');
      const plan = planSwap(
        { guarantees: from, sequence, reserved: 9n },
        { guarantees: to, sequence, reserved: 9n },
      );
      expect(about(plan, 'overlap')?.verdict).toBe(verdict);
    },
  );

  it.each([
    [{ type: 'integer' }, numbers, 'danger'],
    [{ type: 'numeric' }, numbers, 'same'],
    [{ type: 'character varying', maxLength: 23 }, texts, 'danger'],
    [{ type: 'character varying', maxLength: 24 }, texts, 'same'],
    [{ type: 'text' }, texts, 'same'],
  ])('tells whether a column %j holds the ids', (facts, guarantees, verdict) => {
    const plan = planSwap({ guarantees }, { guarantees }, { ...column, ...facts });
    expect(about(plan, 'column')?.verdict).toBe(verdict);
  });

  it.each([
    ['base62', true, 'danger'],
    ['base62', false, 'same'],
    ['crockford', true, 'same'],
    ['hex', true, 'same'],
  ] as const)('warns of ids in %s where the column ignores case (%s)', (as, ignoresCase, verdict) => {
    const { guarantees } = createCodec(numbers, { as, prefix: 'Ord_' });
    const plan = planSwap({ guarantees: numbers }, { guarantees }, { ...column, type: 'text', ignoresCase });
    expect(about(plan, 'collation')?.verdict).toBe(verdict);
  });

  it('says that ids begin, or cease, to differ in case only', () => {
    const { guarantees: mixed } = createCodec(numbers, { as: 'base62' });
    const there = planSwap({ guarantees: numbers }, { guarantees: mixed });
    const back = planSwap({ guarantees: mixed }, { guarantees: numbers });
    expect([there, back].map((plan) => about(plan, 'case'))).toMatchObject([
      { verdict: 'change', from: 'no', to: 'yes' },
      { verdict: 'change', from: 'yes', to: 'no' },
    ]);
  });
});
