import type { Counters, IdGenerator } from '@ids/core';
import { alter } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import type { Mutant } from './mutant.js';

const COUNTERS = 'counts what it did, never downwards, and each id that it issued';

export const counterMutants: readonly Mutant[] = [
  {
    name: 'forgets what it counted when it is closed',
    fails: COUNTERS,
    saying: /idsIssued fell from \d+ to 0 after close\(\)/,
    like: 'local',
    open: async () => counting((counted, closed) => (closed ? { idsIssued: 0 } : counted)),
  },
  {
    name: 'counts only the ids of batches',
    fails: COUNTERS,
    saying: /idsIssued must be 1 after next\(\), got 0/,
    like: 'local',
    open: async () => counting(({ idsIssued = 0 }) => ({ idsIssued: idsIssued === 1 ? 0 : idsIssued })),
  },
  {
    name: 'counts the ids that are in memory in place of those that it fetched',
    fails: COUNTERS,
    saying: /refills fell from \d+ to \d+/,
    like: 'local',
    open: async () => counting(({ idsIssued = 0 }) => ({ refills: 1_000 - idsIssued })),
  },
  {
    name: 'counts waits that are no number',
    fails: COUNTERS,
    saying: /waitSeconds must be a number from 0, got NaN/,
    like: 'local',
    open: async () => counting((counted) => ({ ...counted, waitSeconds: Number.NaN })),
  },
];

async function counting(count: (counted: Counters, closed: boolean) => Counters): Promise<IdGenerator> {
  const generator = await openLocal();
  return alter(generator, {
    counters: () => count(generator.counters?.() ?? {}, generator.health().status === 'closed'),
  });
}
