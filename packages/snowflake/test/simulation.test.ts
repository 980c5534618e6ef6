import { describe, expect, it } from 'vitest';
import { HeldWindows } from '../src/windows/held-windows.js';
import { AHEAD_MS, REACH_MS } from '../src/windows/lengths.js';
import type { Granted } from '../src/windows/slot-table.js';
import { Tenancy } from '../src/windows/tenancy.js';
import { ALL_GUARDS, SimulatedSlots, type TableGuards } from './support/simulated-slots.js';
import { firstRepeat, type SimulationOptions, simulateMany } from './support/simulation.js';

/** Seeds of each kind of run; the search for what a missing guard breaks goes on for more. */
const { runs, search } = process.env.IDS_FULL
  ? { runs: 20_000, search: 20_000 }
  : { runs: 400, search: 4_000 };

/** Where two servers begin that follow each other. */
const SHARES = [0, 19] as const;

/** What the protocol withstands. */
const WITHSTOOD: Readonly<Record<string, SimulationOptions>> = {
  'pauses, kills, lost and late statements': { restores: 'none' },
  'rows for slots that the layout does not have': { beyond: 2, restores: 'none' },
  'restored dumps': {},
  'disks that are put back': { restores: 'disks' },
  'restores that hop between branches': { restores: 'disks', branches: true },
  'a database clock that jumps forward, and restores': { databaseClock: 'forward', restores: 'disks' },
  'a database clock that jumps both ways, without restores': { databaseClock: 'both', restores: 'none' },
  'clocks of processes that drift': { drift: true, restores: 'disks' },
  'a start at once, without restores': { atOnce: true, restores: 'none' },
  'a start at once, and restored dumps': { atOnce: true, branches: true },
  'a start at once, with drift and a clock that jumps forward': {
    atOnce: true,
    drift: true,
    databaseClock: 'forward',
  },
  'a deposed primary that serves on': { deposed: { shares: SHARES }, restores: 'none' },
  'a deposed primary, and a start at once': { deposed: { shares: SHARES }, restores: 'none', atOnce: true },
};

describe('no id is repeated under', () => {
  for (const [what, options] of Object.entries(WITHSTOOD)) {
    it(what, () => {
      const { ids, repeats, grants, ahead } = simulateMany(runs, options);
      expect(repeats).toBe(0);
      // Otherwise nothing was tried.
      expect(ids).toBeGreaterThan(100 * runs);
      expect(grants).toBeGreaterThan(10 * runs);
      if (options.databaseClock !== 'both') expect(ahead).toBeLessThan(REACH_MS);
    });
  }
});

/** What repeats ids, by itself or because a guard is off. */
const REPEATS: Readonly<Record<string, SimulationOptions>> = {
  'a slot that the layout does not have is claimed': off('fits', { beyond: 2, restores: 'none' }),
  'a slot is free before its time is over': off('free', { atOnce: true }),
  'a claim does not stand': off('claimStands', { atOnce: true }),
  'a claim does not notice a restore': off('notice', { atOnce: true }),
  'others than the owner get windows': off('owner', { restores: 'disks' }),
  'the first window does not wait': off('wait', { restores: 'disks' }),
  'a claim without a window does not end': off('stale', { restores: 'disks', branches: true }),
  'a window is renewed after it ended': off('lapse', { atOnce: true }),
  'a window may begin at any distance ahead of the clock': off('bound', { restores: 'disks' }),
  'a stamp outside of the windows is used': { stretchMs: 500, atOnce: true, restores: 'none' },
  'a claim that noticed a restore is given back before its wait is over': {
    atOnce: true,
    releasesNoticed: true,
  },
  'a deposed primary and its successor begin with the same slots': {
    deposed: { shares: [0, 0] },
    restores: 'none',
  },
  'a deposed primary and its successor claim any slot': { deposed: {}, restores: 'none' },
  'a process stays in its slot after a promotion': {
    deposed: { shares: SHARES },
    restores: 'none',
    stays: true,
  },
  // The documented limits.
  'a former primary needs more slots than its share': { deposed: { shares: [0, 2] }, restores: 'none' },
  'a disk is put back and generators start at once': { atOnce: true, restores: 'disks' },
  'a disk is put back and the clock set back': { databaseClock: 'both', restores: 'disks' },
};

function off(guard: keyof TableGuards, options: SimulationOptions): SimulationOptions {
  return { ...options, guards: { [guard]: false } };
}

describe('ids are repeated if', () => {
  for (const [what, options] of Object.entries(REPEATS)) {
    it(what, () => {
      expect(firstRepeat(search, options)).toBeDefined();
    });
  }
});

interface Life {
  readonly tenancy: Tenancy;
  readonly held: HeldWindows;
  readonly ids: string[];
  /** Asks at one time what the table carries out at another. */
  step(askedAt: number, carriedOutAt: number): void;
  /** Takes all ids that there are. */
  burst(now: number): void;
}

/** A table with one slot, and lives of processes that use it one after the other. */
function oneSlot(guards: Partial<TableGuards>) {
  let time = 0;
  let tokens = 0;
  const table = new SimulatedSlots({
    slots: 1,
    unitMs: 1,
    guards: { ...ALL_GUARDS, ...guards },
    now: () => time,
    choose: () => 0,
  });
  const start = (): Life => {
    const ids: string[] = [];
    let stamp = 0;
    let clock = 0;
    const tenancy = new Tenancy({ newToken: () => `${++tokens}`, atOnce: true });
    const held = new HeldWindows(
      { unitMs: 1, sequenceBits: 0 },
      () => BigInt(clock) * 1_000_000n,
      (current) => {
        stamp = current;
      },
    );
    return {
      tenancy,
      held,
      ids,
      step(askedAt, carriedOutAt) {
        time = carriedOutAt;
        const { next: step } = tenancy;
        if (step.do === 'claim') {
          tenancy.claimed(table.claim(step.token), askedAt);
          return;
        }
        const answer =
          step.do === 'open'
            ? table.open(step.slot, step.token, step.waitMs)
            : table.renew(step.slot, step.token, step.until);
        tenancy.answered(answer, askedAt);
        if ('window' in answer) held.add((answer as Granted).window, answer.now, askedAt);
      },
      burst(now) {
        clock = now;
        while (held.tryTake() >= 0) ids.push(`${stamp}`);
      },
    };
  };
  return { table, start };
}

/**
 * The floor matters only if a renewal is asked for while more than a window is left, which takes answers
 * that are slow twice: random runs do not get there.
 */
function slowAnswersAndARestore(guards: Partial<TableGuards>): string[] {
  const { table, start } = oneSlot(guards);
  const former = start();
  former.step(100_000, 100_000);
  const claimed = table.backup();
  former.step(100_000, 101_100); // 101,100 .. 103,100
  former.step(101_110, 102_600); // 103,100 .. 105,100
  table.restore(claimed, true);
  former.step(102_610, 102_610);
  former.burst(102_620);
  const { toRelease } = former.tenancy;
  if (toRelease !== undefined) table.release(toRelease.slot, toRelease.token);
  const latter = start();
  const freeAt = Math.max(102_700, table.backup()[0]?.until ?? 0);
  latter.step(freeAt, freeAt);
  latter.step(freeAt, freeAt);
  latter.burst(freeAt);
  latter.step(freeAt + REACH_MS, freeAt + REACH_MS);
  latter.burst(freeAt + REACH_MS);
  return [...former.ids, ...latter.ids];
}

describe('a row that forgot windows of its owner', () => {
  it('is raised above them at the next renewal, so that nobody gets them again', () => {
    const ids = slowAnswersAndARestore({});
    expect(ids.length).toBeGreaterThan(2_500);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('grants them again without that', () => {
    const ids = slowAnswersAndARestore({ floor: false });
    expect(new Set(ids).size).toBeLessThan(ids.length);
  });
});

/** How many ids repeat if the clock shows `claimedAt` at the first claim after a restore. */
function repeatsAfterRestore(claimedAt: number): number {
  const { table, start } = oneSlot({});
  const empty = table.backup();
  const former = start();
  former.step(100_000, 100_000);
  former.step(100_000, 100_000);
  former.step(101_000, 101_000); // The last one that is lost: 102,000 .. 104,000
  former.burst(101_000);
  table.restore(empty, true);
  const latter = start();
  latter.step(claimedAt, claimedAt);
  latter.step(claimedAt + REACH_MS, claimedAt + REACH_MS);
  latter.burst(claimedAt + REACH_MS);
  const ids = [...former.ids, ...latter.ids];
  expect(ids).toHaveLength(5_000);
  return ids.length - new Set(ids).size;
}

it('the wait after a restore does as long as the clock is not behind the last grant', () => {
  expect(repeatsAfterRestore(101_000)).toBe(0);
  expect(repeatsAfterRestore(100_900)).toBe(100);
});

describe('a process that uses ids faster than the layout has them', () => {
  const furthest = (guards: Partial<TableGuards>): number => {
    const { start } = oneSlot(guards);
    const process = start();
    process.step(100_000, 100_000);
    let ahead = 0;
    for (let now = 100_000; now < 110_000; now += 100) {
      process.step(now, now);
      process.burst(now);
      ahead = Math.max(ahead, Number(process.ids.at(-1)) - now);
    }
    expect(new Set(process.ids).size).toBe(process.ids.length);
    return ahead;
  };

  it('never runs ahead of the database by more than the reach of a window', () => {
    const ahead = furthest({});
    expect(ahead).toBeLessThan(REACH_MS);
    expect(ahead).toBeGreaterThan(AHEAD_MS);
  });

  it('would run away without the bound', () => {
    expect(furthest({ bound: false })).toBeGreaterThan(10 * REACH_MS);
  });
});
