import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandomCodes, type RandomCodesOptions } from '../src/index.js';

const PRINTABLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

describe('random codes', () => {
  it('have the characters and the length that were chosen, and match their pattern', () => {
    const alphabets = fc.shuffledSubarray(PRINTABLE, { minLength: 2 }).map((all) => all.join(''));
    fc.assert(
      fc.property(alphabets, fc.integer({ min: 1, max: 128 }), (alphabet, length) => {
        const { next, pattern } = createRandomCodes({ alphabet, length });
        const code = next();
        expect([code.length, [...code].filter((one) => !alphabet.includes(one))]).toEqual([length, []]);
        expect(code).toMatch(pattern);
        for (const other of PRINTABLE.filter((one) => !alphabet.includes(one)))
          expect(other.repeat(length)).not.toMatch(pattern);
      }),
    );
  });

  // 94 characters do not divide 256: of plain remainders, the first 68 would come up 1.5 times as often.
  it.each([32, 94])('of %i characters have each of them as often as the others', (size) => {
    const alphabet = PRINTABLE.slice(0, size).join('');
    const { next } = createRandomCodes({ alphabet, length: 100 });
    const counts = new Map([...alphabet].map((one) => [one, 0]));
    for (let made = 0; made < 20 * size; made++)
      for (const one of next()) counts.set(one, (counts.get(one) ?? 0) + 1);
    // 2,000 are expected of each; 10 standard deviations to either side.
    expect(Math.min(...counts.values())).toBeGreaterThan(1_550);
    expect(Math.max(...counts.values())).toBeLessThan(2_450);
  });

  it('say how much there is to guess, and how likely a collision is', () => {
    const codes = createRandomCodes();
    expect([codes.next().length, codes.bits]).toEqual([12, 60]);
    expect([0, 1].map(codes.collisionProbability)).toEqual([0, 0]);
    expect(codes.collisionProbability(1e9)).toBeCloseTo(0.352, 3);
    expect(createRandomCodes({ alphabet: '01', length: 1 }).collisionProbability(3)).toBe(1);
    // Birthdays: 23 of 365 days. Here 20 of 256.
    expect(
      createRandomCodes({ alphabet: '0123456789abcdef', length: 2 }).collisionProbability(20),
    ).toBeCloseTo(0.524, 2);
  });

  it.each([
    { alphabet: 'a' },
    { alphabet: 'aa' },
    { alphabet: 'a b' },
    { alphabet: 'äö' },
    { length: 0 },
    { length: 129 },
    { length: 1.5 },
  ])('refuse %o', (options: RandomCodesOptions) => {
    const [option] = Object.keys(options);
    expect(() => createRandomCodes(options)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringMatching(`^${option}: `) }),
    );
  });
});
