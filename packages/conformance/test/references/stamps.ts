import { randomBytes } from 'node:crypto';
import type { Guarantees, Id, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { deepFreeze } from './deep-freeze.js';

const PER_MS = 300;

export const stampGuarantees: Guarantees = deepFreeze({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 50 },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: { pattern: /\d{13}-\d{3}-[0-9a-f]{16}/, maxLength: 34, sortable: true, caseSensitive: false },
  backends: [],
  discloses: ['time', 'volume'],
  maxIdsPerSecond: PER_MS * 1_000,
});

/** The counter goes on from one millisecond to the next, and runs over. */
export function skippedStamps(before: Id, id: Id): bigint {
  const [left = 0, right = 0] = [before, id].map((stamp) => Number(String(stamp).split('-')[1]));
  return BigInt((right - left - 1 + PER_MS) % PER_MS);
}

/**
 * Time, a counter, and what tells generators apart. Waits for another millisecond when the counter runs over.
 */
export function stampGenerator(node = randomBytes(8).toString('hex')): SyncIdGenerator<string> {
  let time = 0;
  let counter = -1;
  return memoryGenerator({
    strategy: 'stamps',
    guarantees: stampGuarantees,
    issue: () => {
      counter = (counter + 1) % PER_MS;
      let now = Date.now();
      while (counter === 0 && now <= time) now = Date.now();
      time = Math.max(time, now);
      return `${time}-${String(counter).padStart(3, '0')}-${node}`;
    },
  });
}

export async function open(): Promise<SyncIdGenerator<string>> {
  return stampGenerator();
}
