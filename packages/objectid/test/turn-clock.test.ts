import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createObjectIdGenerator } from '../src/index.js';
import { firstNotRising, secondOf } from './support/issuer-at.js';

const START = Date.UTC(2090, 0, 1);

/** `setImmediate` stays real: it ends the turns. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(() => void vi.useRealTimers());

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

describe("with clock: 'turn'", () => {
  it('ids of one turn have the time at which it first asked, those of the next one their own', async () => {
    const generator = createObjectIdGenerator({ clock: 'turn' });
    await nextTurn();
    const now = Date.now();
    const ids = [generator.nextSync()];
    vi.setSystemTime(now + 5_000);
    ids.push(generator.nextSync());
    await nextTurn();
    ids.push(generator.nextSync());
    const first = now / 1_000;
    expect(ids.map((id) => secondOf(id) - first)).toEqual([0, 0, 5]);
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('the clock is read again within a turn after 256 ids', async () => {
    await nextTurn();
    const generator = createObjectIdGenerator({ clock: 'turn' });
    vi.setSystemTime(START + 60_000);
    const ids = [generator.nextSync()];
    vi.setSystemTime(START + 70_000);
    while (ids.length < 257) ids.push(generator.nextSync());
    const [first, late] = [secondOf(ids[255] ?? ''), secondOf(ids[256] ?? '')];
    expect([first, late]).toEqual([START / 1_000 + 60, START / 1_000 + 70]);
  });

  it('ids rise by turns with those of a generator that reads the clock for each', async () => {
    await nextTurn();
    const generators = [createObjectIdGenerator({ clock: 'turn' }), createObjectIdGenerator()];
    const ids: string[] = [];
    for (let round = 0; round < 100; round++) {
      vi.setSystemTime(START + 100_000 + round * 400 - (round % 7) * 3_600_000);
      ids.push(
        ...generators.map((generator) => generator.nextSync()),
        ...(generators[0]?.nextBatchSync(2) ?? []),
      );
    }
    expect(firstNotRising(ids)).toBe(-1);
  });
});

describe("with clock: 'exact'", () => {
  it('each id has the time at which it was asked for', () => {
    const generator = createObjectIdGenerator();
    vi.setSystemTime(START + 200_000);
    const first = secondOf(generator.nextSync());
    vi.setSystemTime(START + 201_000);
    expect(secondOf(generator.nextSync()) - first).toBe(1);
  });
});

// Later than all before them, for ids do not go back.
describe("with clock: 'turn', whatever becomes of timers", () => {
  it('the clock is read again after each await, where no timer is needed for that', async () => {
    const generator = createObjectIdGenerator({ clock: 'turn' });
    await nextTurn();
    vi.setSystemTime(START + 300_000);
    const ids = [generator.nextSync()];
    vi.setSystemTime(START + 305_000);
    await Promise.resolve();
    ids.push(generator.nextSync());
    expect(ids.map((id) => secondOf(id) - START / 1_000)).toEqual([300, 305]);
  });

  it('ids are not dated at a time that ended with the timers of a test', async () => {
    const generator = createObjectIdGenerator({ clock: 'turn' });
    await nextTurn();
    vi.useFakeTimers({ now: START + 320_000 });
    const ids = [generator.nextSync()];
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['Date'], now: START + 380_000 });
    for (let turn = 1; turn <= 3; turn++) {
      await nextTurn();
      vi.setSystemTime(START + 380_000 + turn * 5_000);
      ids.push(generator.nextSync());
    }
    expect(ids.map((id) => secondOf(id) - START / 1_000)).toEqual([320, 385, 390, 395]);
  });
});
