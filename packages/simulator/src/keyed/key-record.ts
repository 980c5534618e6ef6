import { keyOf } from '../redis/keyspace.js';

/** The name of every family. */
export const FAMILY = 'message';

/** The hash of the family in Redis. */
export const FAMILY_HASH = keyOf(FAMILY);

/** Where Redis has the record of a key. */
export function recordOf(key: string): string {
  return `${FAMILY_HASH}:${key}`;
}

/** The row of a key in the table. */
export function rowOf(key: string): string {
  return `${FAMILY}/${Buffer.from(key).toString('hex')}`;
}

/** The key of a row; undefined for the row of the family. */
export function keyOfRow(name: string): string | undefined {
  const [, hex] = name.split('/');
  return hex === undefined ? undefined : Buffer.from(hex, 'hex').toString();
}

/** What a record says, as far as it is checked. */
export interface KeyRecord {
  /** The key and the generation of its family. */
  readonly fence: string;
  readonly generation: string;
  readonly next: number;
  readonly mark: number;
  /** Of the lease; `-` if nobody has it. */
  readonly holder: string;
}

export function readRecord(value: unknown): KeyRecord | undefined {
  if (typeof value !== 'string') return undefined;
  const [next, key = '', family = '', generation = '', mark, , , , holder = ''] = value.split(' ');
  return { fence: `${key} ${family}`, generation, next: Number(next), mark: Number(mark), holder };
}
