import { hostname } from 'node:os';
import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';

export const OWNER_RULE = '1 to 255 characters, no control characters';

/** Code points are counted, as Postgres counts them. */
export function isOwner(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value);
}

export function assertOwner(value: unknown): asserts value is string {
  if (isOwner(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `owner must be ${OWNER_RULE}, got ${shownValue(value)}`);
}

/** This process for a human: its host and its pid. Not unique among containers that share a host name. */
export function defaultOwner(): string {
  return `${hostname()}:${process.pid}`;
}
