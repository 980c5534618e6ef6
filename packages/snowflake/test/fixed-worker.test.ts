import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createSnowflakeGenerator,
  layoutOf,
  parseSnowflake,
  type SnowflakeOptions,
  type SnowflakeTypeName,
} from '../src/index.js';
import { WORKER_AHEAD_MS } from '../src/worker/worker-time.js';

const HOUR_MS = 3_600_000;
const LAYOUT = layoutOf('41+10+12');
const timeOf = (id: bigint): number => parseSnowflake(id, LAYOUT).ms;
const systemNow = Date.now;

function setClock(offsetMs: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + offsetMs);
}
afterEach(() => vi.restoreAllMocks());

async function openReady<As extends SnowflakeTypeName = 'bigint'>(
  options: SnowflakeOptions & { readonly as?: As },
) {
  const generator = await createSnowflakeGenerator<As>(options);
  await generator.ready();
  return generator;
}

describe('a fixed worker', () => {
  it('issues nothing that a process before it may have stamped: it waits, and says so', async () => {
    const before = systemNow();
    const generator = await createSnowflakeGenerator({ worker: 517 });
    expect(generator.health()).toEqual({ status: 'not-ready' });
    for (const call of [() => generator.nextSync(), () => generator.nextBatchSync(2)])
      expect(call).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    const first = generator.next();
    const batch = generator.nextBatch(3);
    await generator.ready();
    const ids = [await first, ...(await batch), generator.nextSync()];
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0n))).toBe(true);
    expect(timeOf(ids[0] ?? 0n)).toBeGreaterThanOrEqual(before + WORKER_AHEAD_MS);
    expect(parseSnowflake(ids[0] ?? 0n, LAYOUT)).toMatchObject({ slot: 517, sequence: 0 });
    expect(generator.health()).toEqual({ status: 'ok' });
    expect(generator.counters()).toMatchObject({ idsIssued: 5, refills: 0, notReady: 2, waits: 2 });
  });

  it('waits once in a process, and fails calls whose deadline comes before', async () => {
    const hasty = await createSnowflakeGenerator({ worker: 1, deadlineMs: 20 });
    await expect(hasty.next()).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(/\bworker 1\b.*\b20 ms\b/),
    });
    await (await createSnowflakeGenerator({ worker: 1 })).ready();
    expect((await createSnowflakeGenerator({ worker: 1 })).nextSync()).toBeGreaterThan(0n);
    await hasty.close();
    expect(() => hasty.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_CLOSED' }));
  });

  it('reads a clock with fractions of a millisecond', async () => {
    setClock(0.5);
    expect((await openReady({ worker: 9 })).nextSync()).toBeGreaterThan(0n);
  });

  it('stops while the clock is further back than it runs ahead, and goes on when it is right again', async () => {
    await openReady({ worker: 6 });
    const generator = await createSnowflakeGenerator({ worker: 6, deadlineMs: 50 });
    const ids = generator.nextBatchSync(10_000);
    setClock(-HOUR_MS);
    const wentBack = { code: 'ERR_IDS_CLOCK', retryable: true };
    expect(() => {
      for (;;) ids.push(generator.nextSync());
    }).toThrow(expect.objectContaining(wentBack));
    await expect(generator.nextBatch(10_000)).rejects.toMatchObject(wentBack);
    expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_CLOCK' } });
    setClock(-WORKER_AHEAD_MS / 2);
    ids.push(...generator.nextBatchSync(100));
    setClock(HOUR_MS);
    ids.push(...generator.nextBatchSync(10_000));
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0n))).toBe(true);
    expect(timeOf(ids.at(-1) ?? 0n) - timeOf(ids[0] ?? 0n)).toBeGreaterThan(HOUR_MS - 60_000);
  });

  it.each([
    [10, 'ERR_IDS_EXHAUSTED'],
    [WORKER_AHEAD_MS, 'ERR_IDS_EXHAUSTED'],
    [WORKER_AHEAD_MS + 1, 'ERR_IDS_CLOCK'],
  ])('as far ahead as it runs, takes a step back of the clock by %i ms for %s', async (backMs, code) => {
    const worker = 20 + (backMs % 7);
    const generator = await openReady({ worker, layout: '41+6+6', as: 'number', overflow: 'throw' });
    const now = systemNow();
    vi.spyOn(Date, 'now').mockImplementation(() => now);
    const takeAll = () => {
      for (;;) generator.nextSync();
    };
    expect(takeAll).toThrow(expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }));
    vi.spyOn(Date, 'now').mockImplementation(() => now - backMs);
    expect(takeAll).toThrow(expect.objectContaining({ code }));
    vi.spyOn(Date, 'now').mockImplementation(() => now + 10);
    expect(generator.nextSync()).toBeGreaterThan(0);
  });

  it('shares its time with all generators of the process, in both orders of their clocks', async () => {
    const first = await openReady({ worker: 2 });
    const second = await openReady({ worker: 2 });
    const ids: bigint[] = [];
    for (let turn = 0; turn < 40; turn++) {
      setClock((turn % 3) * 200 - 200);
      for (const id of await first.nextBatch(3_000)) ids.push(id);
      for (let i = 0; i < 3_000; i++) ids.push(await second.next());
    }
    expect(new Set(ids).size).toBe(240_000);
  });

  it.each([
    ['41+6+6', 20, 8],
    ['31s+8+14', 40, 40],
  ] as const)(
    'serves many generators of the layout %s at once, each a little',
    async (layout, open, rounds) => {
      const options = { worker: 8, layout, as: 'number', overflow: 'throw' } as const;
      await openReady(options);
      const generators = await Promise.all(
        Array.from({ length: open }, () => createSnowflakeGenerator(options)),
      );
      const ids: number[] = [];
      for (let round = 0; round < rounds; round++) for (const one of generators) ids.push(one.nextSync());
      expect(new Set(ids).size).toBe(open * rounds);
      const ahead = parseSnowflake(BigInt(Math.max(...ids)), layoutOf(layout)).ms - systemNow();
      expect(ahead).toBeLessThan(100);
    },
  );

  it('runs less than a second ahead of the clock, then throws or waits', async () => {
    const ids = new Set<number>();
    const layout = layoutOf('41+6+6');
    const furthest = (): number =>
      parseSnowflake(BigInt(Math.max(...[...ids].slice(-64))), layout).ms - systemNow();
    const strict = await openReady({ worker: 3, as: 'number', overflow: 'throw' });
    // It stands still, so that no pause of this process lets the ids of a second become free.
    vi.spyOn(Date, 'now').mockReturnValue(systemNow());
    expect(() => {
      for (;;) ids.add(strict.nextSync());
    }).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_EXHAUSTED',
        message: expect.stringContaining('64000'),
      }),
    );
    expect(furthest()).toBeLessThan(WORKER_AHEAD_MS);
    expect(ids.size).toBeGreaterThan(64_000 - 1_000);
    await expect(strict.nextBatch(64_000)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
    const patient = await createSnowflakeGenerator({ worker: 3, as: 'number' });
    expect(() => patient.nextBatchSync(64_000)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }),
    );
    expect(() => patient.nextBatchSync(64_001)).toThrow(/64001.*64000/);
    vi.restoreAllMocks();
    const before = ids.size;
    for (const id of await patient.nextBatch(20_000)) ids.add(id);
    expect(furthest()).toBeLessThan(WORKER_AHEAD_MS);
    expect(ids.size).toBe(before + 20_000);
  });

  it('issues nothing before its epoch or after its end', async () => {
    const early = await createSnowflakeGenerator({ worker: 4, epoch: systemNow() + HOUR_MS });
    const beforeEpoch = { code: 'ERR_IDS_CLOCK' };
    expect(() => early.nextSync()).toThrow(expect.objectContaining(beforeEpoch));
    await expect(early.next()).rejects.toMatchObject(beforeEpoch);
    await expect(early.ready()).rejects.toMatchObject(beforeEpoch);
    setClock(70 * 366 * 24 * HOUR_MS);
    const late = await createSnowflakeGenerator({ worker: 5 });
    expect(() => late.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }));
  });
});
