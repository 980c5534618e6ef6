import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClassicObjectIdOptions, createObjectIdGenerator } from '../src/machine-pid/index.js';
import type { IssuedIds } from './support/issue-ids.js';
import { placeOf } from './support/issuer-at.js';
import { type IssuingMember, startClusterWorker, startProcess, startThread } from './support/issuers.js';

const MEMBERS = 8;
const FULL = process.env.IDS_FULL === '1';
const COUNT = FULL ? 1_000_000 : 100_000;
const ROOM = 2 ** 24;

const layouts: ClassicObjectIdOptions[] = [{ layout: 'random' }, { layout: 'machine-pid' }];

/** The index of the first place that is not above the one before it; -1 if all rise. */
function firstNotAbove(places: BigUint64Array): number {
  return places.findIndex((place, index) => index > 0 && place <= (places[index - 1] ?? 0n));
}

/** How many ids are the same as another one, exactly: by middle, then by sorted places. */
function repeats(issued: readonly IssuedIds[]): number {
  const middles = new Set(issued.map(({ middle }) => middle));
  return [...middles].reduce((total, wanted) => {
    const parts = issued.filter(({ middle }) => middle === wanted).map(({ places }) => places);
    const all = new BigUint64Array(parts.reduce((length, part) => length + part.length, 0));
    let filled = 0;
    for (const part of parts) {
      all.set(part, filled);
      filled += part.length;
    }
    all.sort();
    return (
      total + all.reduce((same, place, index) => same + Number(index > 0 && place === all[index - 1]), 0)
    );
  }, 0);
}

// First, while this process has not created a generator of that layout.
describe('a worker thread that was started before the main thread used the classic layout', () => {
  it('is refused that layout, with what to do, and served the other', async () => {
    const thread = await startThread();
    try {
      const main = createObjectIdGenerator({ layout: 'machine-pid' });
      await expect(thread.issue({ count: 1, options: { layout: 'machine-pid' } })).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/main thread must create a generator with this layout before/),
      });
      expect(main.nextSync()).toHaveLength(24);
      expect((await thread.issue({ count: 100, options: {} })).places).toHaveLength(100);
    } finally {
      await thread.end();
    }
  });
});

describe.each([
  [MEMBERS, 'worker threads', startThread],
  [MEMBERS, 'child processes', startProcess],
  [4, 'cluster workers', startClusterWorker],
] as const)('%d %s that issue at the same time', (members, kind, start) => {
  let running: IssuingMember[] = [];
  beforeAll(async () => {
    createObjectIdGenerator({ layout: 'machine-pid' });
    running = await Promise.all(Array.from({ length: members }, start));
  });
  afterAll(() => Promise.all(running.map((member) => member.end())));

  it.each(layouts)(
    `give ${COUNT} ids each that never meet, and rise in each, %j`,
    async (options) => {
      const before = placeOf(createObjectIdGenerator(options).nextSync());
      const issued = await Promise.all(running.map((member) => member.issue({ count: COUNT, options })));
      for (const { places } of issued) {
        expect(places).toHaveLength(COUNT);
        expect(firstNotAbove(places)).toBe(-1);
      }
      expect(repeats(issued)).toBe(0);
      const together = kind === 'worker threads' && options.layout === 'machine-pid';
      expect(new Set(issued.map(({ middle }) => middle)).size).toBe(together ? 1 : members);
      if (!together) return;
      // Counted together: with counters of their own, threads would meet by chance only, and far from here.
      const furthest = issued.flatMap(({ places }) => [places[0] ?? 0n, places.at(-1) ?? 0n]);
      const distances = furthest.map((place) => (Number((place - before) % BigInt(ROOM)) + ROOM) % ROOM);
      expect(Math.max(...distances)).toBeLessThan(2 * members * COUNT);
    },
    FULL ? 600_000 : 60_000,
  );
});

describe('processes of the classic layout', () => {
  it('start their counters anywhere, since two on one host may have one middle part', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, startProcess));
    try {
      const order = { count: 100, options: { layout: 'machine-pid' } } as const;
      const issued = await Promise.all(processes.map((member) => member.issue(order)));
      const starts = issued.map(({ places }) => Number((places[0] ?? 0n) % BigInt(ROOM)));
      // Four that are near each other by chance: once in 10^9 runs.
      expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(ROOM / 2_000);
    } finally {
      await Promise.all(processes.map((member) => member.end()));
    }
  });
});
