import { describe, expect, it } from 'vitest';
import { formatOf } from '../src/id-format.js';
import { DISCORD_EPOCH, layoutOf, lowestIdAt, partsOf, snowflake, TWITTER_EPOCH } from '../src/index.js';
import { endOfTime, layoutText } from '../src/layout.js';

const parse = (options: unknown) => {
  const result = snowflake.options['~standard'].validate(options);
  if (result instanceof Promise) throw new TypeError('validated later');
  return result;
};
const problems = (options: unknown): string[] => (parse(options).issues ?? []).map(({ message }) => message);

describe('ids of others', () => {
  it('of Twitter are read with its epoch', () => {
    // https://developer.x.com/en/docs/x-ids
    const parts = partsOf(1_050_118_621_198_921_728n, layoutOf('41+10+12', TWITTER_EPOCH));
    expect(new Date(parts?.timeMs ?? 0).toISOString()).toMatch(/^2018-10-10T20:19:24\./);
  });

  it('of Discord are read with its epoch', () => {
    // https://discord.com/developers/docs/reference#snowflakes: its worker 1 and process 0 are the slot.
    const parts = partsOf(175_928_847_299_117_063n, layoutOf('41+10+12', DISCORD_EPOCH));
    expect(parts).toEqual({ timeMs: 1_462_015_105_796, slot: 0b00001_00000, sequence: 7 });
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
            expect(partsOf(BigInt(id), layout)).toEqual({ timeMs, slot, sequence });
          }
    }
  });

  it('does not read what has more bits', () => {
    const format = formatOf('bigint', layout);
    format.begin(endOfTime(layout) - layout.unitMs, lastSlot);
    const last = BigInt(format.id(lastSequence));
    expect(partsOf(last, layout)).toBeDefined();
    expect(partsOf(last + 1n, layout)).toBeUndefined();
    expect(partsOf(-1n, layout)).toBeUndefined();
  });
});

describe('the lowest id of a time', () => {
  it.each(['41+10+12', '41+6+6', '31s+8+14'] as const)('is above all before it, in the layout %s', (name) => {
    const layout = layoutOf(name);
    const timeMs = layout.epoch + 5_000_000_999;
    const start = timeMs - (timeMs % layout.unitMs);
    const lowest = lowestIdAt(timeMs, layout);
    expect(partsOf(lowest, layout)).toEqual({ timeMs: start, slot: 0, sequence: 0 });
    expect(partsOf(lowest - 1n, layout)?.timeMs).toBe(start - layout.unitMs);
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

describe('options', () => {
  const slots = { name: 'order', database: 'postgres://localhost/app' };

  it('have defaults', () => {
    expect(parse(slots)).toMatchObject({
      value: { as: 'bigint', startup: 'wait', overflow: 'wait', clock: 'exact', deadlineMs: 5_000 },
    });
    expect(snowflake.guarantees((parse(slots) as { value: never }).value)).toMatchObject({
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'k-sorted', skewMs: 3_001 },
      maxIdsPerSecond: 4_096_000,
    });
  });

  it('decide what is claimed', () => {
    const claims = (options: object) =>
      snowflake.guarantees((parse({ ...slots, ...options }) as { value: never }).value);
    expect(claims({ as: 'number' })).toMatchObject({ idType: 'number', maxIdsPerSecond: 64_000 });
    expect(claims({ as: 'number', layout: '31s+8+14' })).toMatchObject({
      order: { skewMs: 4_000 },
      maxIdsPerSecond: 16_384,
    });
    expect(claims({ clock: 'turn' }).order).toEqual({ process: 'increasing', cluster: 'none' });
    const fixed = (parse({ worker: 7 }) as { value: never }).value;
    expect(snowflake.guarantees(fixed)).toMatchObject({ unique: 'process', backends: [] });
  });

  it.each([
    [{}, /give "name" and "database" .*, or a fixed "worker"/],
    [{ name: 'order' }, /give "name" and "database"/],
    [
      { ...slots, worker: 7, table: 't' },
      /"table" belongs to slots of a database; a fixed "worker" has none/,
    ],
    [{ worker: 7, log: true }, /"log" belongs to slots/],
    [
      { worker: 64, as: 'number' },
      /option "worker": must be a whole number from 0 to 63 with the layout "41\+6\+6", got 64/,
    ],
    [{ worker: -1 }, /must be a whole number from 0 to 1023, got -1/],
    [
      { ...slots, as: 'number', layout: '41+10+12' },
      /"41\+10\+12" has more than 53 bits, so "as" must be "bigint" or "string"/,
    ],
    [{ ...slots, layout: '40+10+13' }, /must be "41\+10\+12", "41\+6\+6" or "31s\+8\+14", got "40\+10\+13"/],
    [
      { ...slots, epoch: 1.5 },
      /must be a whole number of milliseconds since 1970, from 0 to 4102444800000, got 1.5/,
    ],
    [{ ...slots, epoch: 1_288_834_974_657, as: 'number', layout: '31s+8+14' }, /must be a multiple of 1000/],
    [{ ...slots, startup: 'now' }, /must be "wait" or "at-once", got "now"/],
    [{ ...slots, overflow: 'borrow' }, /must be "wait" or "throw", got "borrow"/],
    [{ ...slots, database: 'mysql://x' }, /must be a postgres:\/\/ or postgresql:\/\/ URL/],
  ])('that do not work are rejected: %j', (options, message) => {
    expect(problems(options).join('\n')).toMatch(message);
  });
});
