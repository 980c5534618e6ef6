import { randomBytes } from 'node:crypto';
import { type Guarantees, memoryGenerator, type SyncIdGenerator } from '@ids/core';
import { deepFreeze } from './deep-freeze.js';

const PER_MS = 300;

export const stampGuarantees: Guarantees = deepFreeze({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 50 },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: { pattern: /\d{13}-\d{3}-[0-9a-f]{16}/, maxLength: 34, sortable: true },
  backends: [],
  discloses: ['time'],
  maxIdsPerSecond: PER_MS * 1_000,
});

/** Time, a counter inside the millisecond, and what tells generators apart. Waits when the counter is used up. */
export function stampGenerator(node = randomBytes(8).toString('hex')): SyncIdGenerator<string> {
  let time = 0;
  let counter = 0;
  return memoryGenerator({
    strategy: 'stamps',
    guarantees: stampGuarantees,
    issue: () => {
      counter += 1;
      while (counter >= PER_MS || Date.now() > time) {
        const now = Date.now();
        if (now <= time) continue;
        time = now;
        counter = 0;
      }
      return `${time}-${String(counter).padStart(3, '0')}-${node}`;
    },
  });
}

export async function open(): Promise<SyncIdGenerator<string>> {
  return stampGenerator();
}
