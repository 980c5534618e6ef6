import { describe, expect, it } from 'vitest';
import { formatOf } from '../src/ids/id-format.js';
import { endOfTime, layoutText } from '../src/ids/layout.js';
import { DISCORD_EPOCH, layoutOf, lowestIdAt, parseSnowflake, TWITTER_EPOCH } from '../src/index.js';

describe('ids of others', () => {
  it('of Twitter are read with its epoch', () => {
    // https://developer.x.com/en/docs/x-ids
    const { date } = parseSnowflake(1_050_118_621_198_921_728n, layoutOf('41+10+12', TWITTER_EPOCH));
    expect(date.toISOString()).toMatch(/^2018-10-10T20:19:24\./);
  });

  it('of Discord are read with its epoch', () => {
    // https://discord.com/developers/docs/reference#snowflakes: its worker 1 and process 0 are the slot.
    const parts = parseSnowflake(175_928_847_299_117_063n, layoutOf('41+10+12', DISCORD_EPOCH));
    const ms = 1_462_015_105_796;
    expect(parts).toEqual({ ms, date: new Date(ms), slot: 0b00001_00000, sequence: 7 });
  });
});

describe.each([
  ['41+10+12', 1_023, 4_095],
  ['41+6+6', 63, 63],
  ['31s+8+14', 255, 16_383],
] as const)('the layout %s', (name, lastSlot, lastSequence) => {
  const layout = layoutOf(name);
  const stamps = [layout.epoch, layout.epoch + 1_000_000 * layout.unitMs, endOfTime(layout) - layout.unitMs];

  it('keeps time, slot and sequence apart in every type', () => {
    for (const as of name === '41+10+12'
      ? (['bigint', 'string'] as const)
      : (['number', 'bigint', 'string'] as const)) {
      const format = formatOf(as, layout);
      for (const timeMs of stamps)
        for (const slot of [0, 1, lastSlot])
          for (const sequence of [0, 1, lastSequence]) {
            format.begin(timeMs, slot);
            const id = format.id(sequence);
            expect(typeof id).toBe(as);
            const read = { ms: timeMs, date: new Date(timeMs), slot, sequence };
            expect(parseSnowflake(id, layout)).toEqual(read);
            expect(parseSnowflake(String(id), layout)).toEqual(read);
          }
    }
  });

  it('does not read what has more bits', () => {
    const format = formatOf('bigint', layout);
    format.begin(endOfTime(layout) - layout.unitMs, lastSlot);
    const last = BigInt(format.id(lastSequence));
    expect(parseSnowflake(last, layout)).toMatchObject({ slot: lastSlot, sequence: lastSequence });
    for (const wrong of [last + 1n, -1n, String(last + 1n)]) {
      expect(() => parseSnowflake(wrong, layout)).toThrow(RangeError);
    }
  });
});

describe('what is no snowflake', () => {
  const layout = layoutOf('41+10+12');

  it.each(['', '-1', '01', '1e3', ' 1', '0x1', '1n', '9'.repeat(20), 1.5, -1, 2 ** 53, Number.NaN])(
    'such as %j is refused',
    (wrong) => {
      expect(() => parseSnowflake(wrong, layout)).toThrow(RangeError);
    },
  );

  it.each([undefined, null, {}, true])('such as %s is refused, with its type', (wrong) => {
    expect(() => parseSnowflake(wrong as never, layout)).toThrow(TypeError);
  });
});

describe('the lowest id of a time', () => {
  it.each(['41+10+12', '41+6+6', '31s+8+14'] as const)('is above all before it, in the layout %s', (name) => {
    const layout = layoutOf(name);
    const timeMs = layout.epoch + 5_000_000_999;
    const start = timeMs - (timeMs % layout.unitMs);
    const lowest = lowestIdAt(timeMs, layout);
    expect(parseSnowflake(lowest, layout)).toMatchObject({ ms: start, slot: 0, sequence: 0 });
    expect(parseSnowflake(lowest - 1n, layout).ms).toBe(start - layout.unitMs);
  });

  it('stays in the range of the layout', () => {
    const layout = layoutOf('41+10+12');
    expect(lowestIdAt(layout.epoch - 1, layout)).toBe(0n);
    expect(lowestIdAt(layout.epoch, layout)).toBe(0n);
    expect(lowestIdAt(endOfTime(layout) - 1, layout)).toBe((2n ** 41n - 1n) << 22n);
    expect([lowestIdAt(endOfTime(layout), layout), lowestIdAt(8.64e15, layout)]).toEqual([
      2n ** 63n,
      2n ** 63n,
    ]);
  });
});

describe('layouts of numbers', () => {
  it('end where numbers are exact', () => {
    for (const name of ['41+6+6', '31s+8+14'] as const) {
      const layout = layoutOf(name);
      const format = formatOf('number', layout);
      format.begin(endOfTime(layout) - layout.unitMs, 2 ** layout.slotBits - 1);
      const last = format.id(2 ** layout.sequenceBits - 1);
      expect(last).toBe(Number.MAX_SAFE_INTEGER);
      expect(JSON.parse(JSON.stringify(last))).toBe(last);
    }
  });

  it('are named with their epoch beside the slots', () => {
    expect(layoutText(layoutOf('31s+8+14'))).toBe('31s+8+14@1735689600000');
    expect(layoutText(layoutOf('41+10+12', TWITTER_EPOCH))).toBe('41+10+12@1288834974657');
  });
});

describe('layoutOf', () => {
  it('accepts the first and the last epoch', () => {
    expect([0, 4_102_444_800_000].map((epoch) => layoutOf('31s+8+14', epoch).epoch)).toEqual([
      0, 4_102_444_800_000,
    ]);
  });
});
