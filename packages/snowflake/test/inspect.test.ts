import { afterEach, describe, expect, it, vi } from 'vitest';
import { inspectSnowflake } from '../src/ids/inspect.js';
import {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  type LayoutName,
  layoutOf,
  lowestIdAt,
  TWITTER_EPOCH,
} from '../src/index.js';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const READ = new Date(NOW).toISOString();

/** The id of slot 5 and sequence 9 at a time. */
function idAt(timeMs: number, name: LayoutName, epoch?: number): string {
  const layout = layoutOf(name, epoch);
  return String(lowestIdAt(timeMs, layout) + (5n << BigInt(layout.sequenceBits)) + 9n);
}

afterEach(() => vi.restoreAllMocks());

describe('inspect, with the options of the generator', () => {
  it.each([
    ['41+10+12', {}, undefined],
    ['41+10+12', { as: 'string' }, undefined],
    ['41+6+6', { as: 'number' }, undefined],
    ['31s+8+14', { layout: '31s+8+14' }, undefined],
    ['41+10+12', { epoch: TWITTER_EPOCH }, TWITTER_EPOCH],
  ] as const)('reads ids of the layout %s with %j', (name, options, own) => {
    const epoch: number = own ?? DEFAULT_EPOCH;
    expect(inspectSnowflake(idAt(NOW, name, epoch), options)).toEqual([
      { name: 'time', value: READ, note: expect.stringContaining(`${name}@${epoch}`) },
      { name: 'slot', value: '5' },
      { name: 'sequence', value: '9' },
    ]);
  });

  it('reads any number that fits the layout, and no other string', () => {
    const [time] = inspectSnowflake('0', { as: 'number' }) ?? [];
    expect(time?.value).toBe('2025-01-01T00:00:00.000Z');
    expect(inspectSnowflake(String(2n ** 63n - 1n), {})).toBeDefined();
    expect(inspectSnowflake(String(2n ** 53n - 1n), { as: 'number' })).toBeDefined();
    for (const other of [String(2n ** 63n), '07', '', 'x1', '1x', '-1', '1.5', '12345678901234567890'])
      expect(inspectSnowflake(other, {}), other).toBeUndefined();
    expect(inspectSnowflake(String(2n ** 53n), { as: 'number' })).toBeUndefined();
  });
});

describe('inspect, without a generator', () => {
  it('reads an id by the default layout of its size, and by the epochs of others', () => {
    vi.spyOn(Date, 'now').mockReturnValue(NOW);
    const [wide] = inspectSnowflake(idAt(NOW, '41+10+12')) ?? [];
    const [twitter, discord] = [TWITTER_EPOCH, DISCORD_EPOCH].map((epoch) =>
      new Date(NOW - DEFAULT_EPOCH + epoch).toISOString(),
    );
    expect(wide).toEqual({
      name: 'time',
      value: READ,
      note: expect.stringMatching(
        new RegExp(String.raw`41\+10\+12@1735689600000.*Twitter: ${twitter}.*Discord: ${discord}`),
      ),
    });
    expect(inspectSnowflake(idAt(NOW, '41+6+6'))?.[0]).toEqual({
      name: 'time',
      value: READ,
      note: expect.stringContaining('41+6+6@1735689600000'),
    });
    // 24 days after the epoch by the layout of wider ids, but it may be a number: 2094.
    expect(inspectSnowflake(String(Number.MAX_SAFE_INTEGER))).toBeUndefined();
  });

  it('takes small numbers for ids of sequences, and times to come for others', () => {
    vi.spyOn(Date, 'now').mockReturnValue(NOW);
    const layout = layoutOf('41+6+6');
    const first = lowestIdAt(DEFAULT_EPOCH + DAY_MS, layout);
    const end = lowestIdAt(NOW + DAY_MS + 1, layout);
    const found = [48_001n, first - 1n, first, end - 1n, end].map(
      (id) => inspectSnowflake(String(id)) !== undefined,
    );
    expect(found).toEqual([false, false, true, true, false]);
  });
});
