import type { EncodeOptions } from '@ids/encode';
import { describe, expect, it } from 'vitest';
import { type ConfiguredGenerator, planGenerator } from '../src/index.js';
import { type ColumnFacts, planSwap, type SwapSide } from '../src/swap/index.js';
import { local } from './support.js';
import { numbers, orders } from './swap-subject.js';

function overlapOf(from: SwapSide, to: SwapSide, column?: ColumnFacts) {
  return planSwap(from, to, column, { stopped: true }).findings.find(({ about }) => about === 'overlap');
}

describe('the overlap of numbers that are written in another way', () => {
  const [key, other] = ['00112233445566778899aabbccddeeff', 'ffeeddccbbaa99887766554433221100'];
  const hidden = { as: 'crockford', width: 4, obfuscate: true, key } as const;
  const OLD = 20_000;
  /** The plan of a swap of `encode` on one sequence, and how many of the next ids were given before. */
  const swapped = (
    before: EncodeOptions | undefined,
    after: EncodeOptions | undefined,
    column?: ColumnFacts,
  ) => {
    const strategies = [{ ...local, guarantees: () => numbers }];
    const [from, to] = [before, after].map((encode) => {
      const generator = { strategy: 'local', encode };
      return planGenerator(strategies, {}, 'order', generator);
    });
    if (from === undefined || to === undefined) throw new Error('there are two');
    const text = (value: number, { codec }: ConfiguredGenerator) => codec?.encode(value) ?? String(value);
    const given = new Set(Array.from({ length: OLD }, (_, i) => text(i + 1, from)));
    const next = Array.from({ length: OLD }, (_, i) => text(OLD + i + 1, to));
    const found = [{ sequence: 'a' }, { sequence: 'b' }].map(({ sequence }) =>
      overlapOf(
        { ...from, sequence: 'a', reserved: BigInt(OLD) },
        { ...to, sequence, reserved: BigInt(OLD) },
        column,
      ),
    );
    return { found, repeated: next.filter((id) => given.has(id)).length };
  };

  it.each<[string, EncodeOptions | undefined, EncodeOptions | undefined]>([
    ['another key', hidden, { ...hidden, key: other }],
    ['a key where there was none', { as: 'crockford', width: 4 }, hidden],
    ['no key where there was one', hidden, { as: 'crockford', width: 4 }],
    ['no check digit where there was one', { as: 'decimal', check: true }, undefined],
    ['a digit in place of the check digit', { as: 'hex', width: 5, check: true }, { as: 'hex', width: 6 }],
  ])('is dangerous: %s', (_, before, after) => {
    const { found, repeated } = swapped(before, after);
    expect(repeated).toBeGreaterThan(0);
    for (const one of found) {
      expect(one).toMatchObject({
        verdict: 'danger',
        advice: expect.stringMatching(
          /^with another key or check digit, the same digits may stand for another number, .* keep "encode"/,
        ),
      });
    }
  });

  it.each<[string, EncodeOptions | undefined, EncodeOptions | undefined]>([
    ['the same key, in capitals', hidden, { ...hidden, key: key.toUpperCase() }],
    ['a check digit where there was none', undefined, { as: 'decimal', check: true }],
    ['a check digit in place of a digit', { as: 'hex', width: 6 }, { as: 'hex', width: 5, check: true }],
    ['leading zeros', undefined, { as: 'decimal', width: 16 }],
  ])('is none: %s', (_, before, after) => {
    const { found, repeated } = swapped(before, after);
    expect(repeated).toBe(0);
    expect(found.map((one) => one?.verdict)).toEqual(['same', 'same']);
  });

  it('is none in text for strings of other lengths, but in a column of numbers', () => {
    const longer = { as: 'decimal', width: 17, obfuscate: true, key } as const;
    const inText = swapped(undefined, longer, { ...orders, type: 'text' });
    expect(inText.found.map((one) => one?.verdict)).toEqual(['same', 'same']);
    const inNumbers = swapped(undefined, longer, orders);
    expect(inNumbers.found.map((one) => one?.verdict)).toEqual(['danger', 'danger']);
  });
});
