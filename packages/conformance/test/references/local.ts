import { threadId } from 'node:worker_threads';
import type { Guarantees, Id, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { deepFreeze } from './deep-freeze.js';

export const localGuarantees: Guarantees = deepFreeze({
  unique: 'process',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: { pattern: /\d+\/\d+/, maxLength: 20, sortable: false, caseSensitive: false },
  backends: [],
  discloses: ['volume'],
});

/** `0/9` lies before `0/10`, which text does not show. */
export function compareLocal(a: Id, b: Id): number {
  const [left = 0, right = 0] = [a, b].map((id) => Number(String(id).split('/')[1]));
  return left - right;
}

export function skippedLocal(before: Id, id: Id): bigint {
  return BigInt(compareLocal(id, before)) - 1n;
}

let issued = 0;

/** Counts in the process: the thread's number and one counter for all generators of the thread. */
export async function open(): Promise<SyncIdGenerator<string>> {
  return memoryGenerator({
    strategy: 'local',
    guarantees: localGuarantees,
    issue: () => `${threadId}/${++issued}`,
  });
}
