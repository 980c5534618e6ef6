import { describe, expect, expectTypeOf, it } from 'vitest';
import { layoutOf, parseSnowflake, snowflakesAt } from '../src/tools/index.js';

const DAY = Date.UTC(2025, 5, 1);
const layout = layoutOf('41+6+6');
const seconds = layoutOf('31s+8+14');

describe('snowflakesAt', () => {
  it('gives ids with the time of the date and the slot, which rise', () => {
    const at = snowflakesAt({ layout, slot: 63 });
    const ids = [0, 0, 1, 1, 1, 7].map((ms) => at(new Date(DAY + ms)));
    expect(ids.map((id) => parseSnowflake(id, layout))).toMatchObject([
      { ms: DAY, slot: 63, sequence: 0 },
      { ms: DAY, slot: 63, sequence: 1 },
      { ms: DAY + 1, sequence: 0 },
      { ms: DAY + 1, sequence: 1 },
      { ms: DAY + 1, sequence: 2 },
      { ms: DAY + 7, sequence: 0 },
    ]);
  });

  it.each([
    [layout, 1, 64],
    [seconds, 1_000, 16_384],
  ] as const)(
    'goes on with the next unit of time where one is full, and repeats nothing',
    (of, unitMs, size) => {
      const at = snowflakesAt({ layout: of, slot: 5, as: 'number' });
      const date = new Date(DAY + unitMs - 1);
      const ids = Array.from({ length: 2 * size + 1 }, () => at(date));
      expect(ids.every((id, row) => row === 0 || id > (ids[row - 1] ?? 0))).toBe(true);
      const first = DAY + unitMs - 1 - ((unitMs - 1) % unitMs);
      expect([size - 1, size, 2 * size].map((row) => parseSnowflake(ids[row] ?? 0, of))).toMatchObject([
        { ms: first, sequence: size - 1 },
        { ms: first + unitMs, sequence: 0 },
        { ms: first + 2 * unitMs, sequence: 0 },
      ]);
      // Rows whose own time has not come yet stay behind those that went ahead.
      expect(at(new Date(DAY + unitMs))).toBe((ids.at(-1) ?? 0) + 1);
      expect(parseSnowflake(at(new Date(DAY + 9 * unitMs)), of)).toMatchObject({
        ms: DAY + 9 * unitMs,
        sequence: 0,
      });
    },
  );

  it('has the types of a generator', () => {
    const wide = layoutOf('41+10+12');
    const text = snowflakesAt({ layout: wide, slot: 0, as: 'string' })(new Date(DAY));
    expect(BigInt(text)).toBe(snowflakesAt({ layout: wide, slot: 0 })(new Date(DAY)));
    expectTypeOf(snowflakesAt({ layout, slot: 0 })).toEqualTypeOf<(date: Date) => bigint>();
    expectTypeOf(snowflakesAt({ layout, slot: 0, as: 'number' })).toEqualTypeOf<(date: Date) => number>();
    expect(() => snowflakesAt({ layout: wide, slot: 0, as: 'number' })).toThrow('"number"');
  });

  it('takes dates in their order, from the epoch to the end of the layout', () => {
    const at = snowflakesAt({ layout: seconds, slot: 0 });
    expect(() => at(new Date(seconds.epoch - 1))).toThrow('2025-01-01T00:00:00.000Z');
    at(new Date(DAY));
    expect(() => at(new Date(DAY - 1))).toThrow('2025-06-01T00:00:00.000Z');
    expect(() => at(new Date(Number.NaN))).toThrow(RangeError);
    expect(() => at('2025-06-01' as never)).toThrow(TypeError);
    const end = new Date(seconds.epoch + 2 ** 31 * 1_000 - 1);
    for (let row = 0; row < 16_384; row++) at(end);
    expect(() => at(end)).toThrow(RangeError);
    expect(() => at(new Date(end.getTime() + 1))).toThrow(RangeError);
  });

  it.each([-1, 64, 0.5, '1'])('refuses slot %s', (slot) => {
    expect(() => snowflakesAt({ layout, slot: slot as number })).toThrow(RangeError);
  });
});
