import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSnowflakeGenerator, layoutOf, partsOf } from '../src/index.js';

const HOUR_MS = 3_600_000;
const LAYOUT = layoutOf('41+10+12');
const timeOf = (id: bigint): number => partsOf(id, LAYOUT)?.timeMs ?? Number.NaN;
const systemNow = Date.now;

function setClock(offsetMs: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + offsetMs);
}
afterEach(() => vi.restoreAllMocks());

/** More than one taking of time holds, so that the clock is looked at again. */
const MANY = 250_000;

describe('a fixed worker', () => {
  it('has the number that it was given, and the time of the system', async () => {
    const generator = await createSnowflakeGenerator({ worker: 517 });
    const id = generator.nextSync();
    expect(partsOf(id, LAYOUT)).toMatchObject({ slot: 517, sequence: 0 });
    expect(Math.abs(timeOf(id) - systemNow())).toBeLessThan(10_000);
    expect(generator.counters()).toMatchObject({ idsIssued: 1, refills: 0 });
    expect(generator.health()).toEqual({ status: 'ok' });
  });

  it('does not follow a clock that is set back, and follows one that is set forward', async () => {
    const generator = await createSnowflakeGenerator({ worker: 1 });
    const ids = generator.nextBatchSync(MANY);
    setClock(-HOUR_MS);
    for (const id of generator.nextBatchSync(MANY)) ids.push(id);
    setClock(HOUR_MS);
    for (const id of generator.nextBatchSync(MANY)) ids.push(id);
    setClock(0);
    for (const id of await generator.nextBatch(MANY)) ids.push(id);
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0n))).toBe(true);
    const [first = 0n, last = 0n] = [ids[0], ids.at(-1)];
    expect(timeOf(last) - timeOf(first)).toBeGreaterThan(HOUR_MS - 60_000);
  });

  it('shares its time with all generators of the process, in both orders of their clocks', async () => {
    const [first, second] = [
      await createSnowflakeGenerator({ worker: 2 }),
      await createSnowflakeGenerator({ worker: 2, clock: 'turn' }),
    ];
    const ids: bigint[] = [];
    for (let turn = 0; turn < 40; turn++) {
      setClock((turn % 3) * 700 - 700);
      for (const id of first.nextBatchSync(3_000)) ids.push(id);
      for (const id of second.nextBatchSync(3_000)) ids.push(id);
    }
    expect(new Set(ids).size).toBe(240_000);
  });

  it('runs ahead of the clock by three seconds, then throws', async () => {
    const generator = await createSnowflakeGenerator({ worker: 3, as: 'number' });
    const ids = new Set<number>();
    let failure: unknown;
    for (let batch = 0; failure === undefined && batch < 100; batch++) {
      try {
        for (let i = 0; i < 10_000; i++) ids.add(generator.nextSync());
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: expect.stringContaining('worker 3: the next id is over 3000 ms ahead of the clock'),
    });
    expect(ids.size).toBeGreaterThan(3 * 64_000 - 1_000);
  });

  it('issues nothing before its epoch or after its end', async () => {
    const epoch = systemNow() + HOUR_MS;
    const early = await createSnowflakeGenerator({ worker: 4, epoch });
    expect(() => early.nextSync()).toThrow(/worker 4: the clock shows .* before the epoch/);
    setClock(70 * 366 * 24 * HOUR_MS);
    const late = await createSnowflakeGenerator({ worker: 5 });
    expect(() => late.nextSync()).toThrow(/worker 5: the layout ends at 2094-09-07/);
  });
});
