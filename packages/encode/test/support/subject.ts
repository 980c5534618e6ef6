import { threadId } from 'node:worker_threads';
import type { Guarantees, IdGenerator } from '@ids/core';
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

export const texts = (
  pattern: RegExp,
  maxLength: number,
  alphabet?: string,
  minLength: number = maxLength,
): Guarantees => ({
  ...numberGuarantees,
  idType: 'string',
  text: { pattern, ...(alphabet !== undefined && { alphabet }), minLength, maxLength, sortable: false },
});

export const KEY = '2b7e151628aed2a6abf7158809cf4f3c';
export const gpids = texts(/^[0-9.:/]+$/, 80, '0123456789.:/', 1);
export const objectIds: Guarantees = {
  ...numberGuarantees,
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 },
  discloses: ['time', 'volume'],
  idType: 'string',
  text: {
    pattern: /^[0-9a-f]{24}$/,
    alphabet: '0123456789abcdef',
    minLength: 24,
    maxLength: 24,
    sortable: true,
  },
};
/** Of version 7. */
export const uuids: Guarantees = {
  ...objectIds,
  text: {
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    alphabet: '-0123456789abcdef',
    minLength: 36,
    maxLength: 36,
    sortable: true,
  },
};
export const upTo999 = { ...numberGuarantees, text: { ...numberGuarantees.text, maxLength: 3 } };

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
