import { threadId } from 'node:worker_threads';
import type { IdGenerator } from '@ids/core';
import { defineGuarantees, memoryGenerator } from '@ids/core/strategy';
import { type EncodeOptions, encodeIds } from '../../src/index.js';

/** Numbers that no other thread or process of this machine gives: process id, thread, and a count. */
export const numberGuarantees = defineGuarantees({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'number',
  text: {
    pattern: /^[1-9][0-9]{0,15}$/,
    alphabet: '0123456789',
    minLength: 1,
    maxLength: 16,
    sortable: false,
    caseSensitive: false,
  },
  backends: [],
  discloses: ['volume', 'process'],
});

let count = 0;

export async function open(options: EncodeOptions): Promise<IdGenerator> {
  const start = (process.pid * 64 + threadId) * 2 ** 24;
  const numbers = memoryGenerator({
    strategy: 'numbers',
    guarantees: numberGuarantees,
    issue: () => start + ++count,
  });
  return encodeIds(numbers, options);
}
