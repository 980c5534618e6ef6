import { type Row, readWholeNumber } from '@ids/store';
import { LAST_ID } from '../segment.js';
import type { GrantRows } from './dialect.js';

/** An entry of the grant log: `owner` reserved the segment `low..high`, inclusive. */
export interface Grant {
  readonly low: number;
  readonly high: number;
  readonly owner: string;
  /** When the reservation began, by the database's clock. */
  readonly grantedAt: Date;
}

/** What the grant log knows about an id. */
export type Provenance =
  /**
   * Its segment was reserved; whether the id was used, only the owner knows. If there is more than one grant,
   * the latest first, the table went back in between, and the id may have been issued twice.
   */
  | { readonly status: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }
  /** It is above everything that was reserved. */
  | { readonly status: 'not-drawn' }
  /**
   * It is below the oldest entry: older than the log, below the start of the sequence, or its entry was
   * deleted.
   */
  | { readonly status: 'before-log' }
  /** It is between entries: the table was raised above it, or a process without `log` reserved it. */
  | { readonly status: 'not-logged' };

/** The id as a number. Throws a `RangeError` unless it is a whole number from 1 to 2^53 - 1. */
export function exactId(id: number | bigint): number {
  const value = Number(id);
  if (Number.isSafeInteger(value) && value >= 1 && BigInt(value) === BigInt(id)) return value;
  throw new RangeError(`id must be a whole number from 1 to ${LAST_ID}, got ${String(id)}`);
}

/**
 * What the log knows about an id, from rows with the `max_id` of the sequence, the first entry of its log,
 * and one entry each for the id, the latest first; their `owner` is null if there is none.
 */
export function provenanceOf(value: number, rows: GrantRows): Provenance {
  const [first] = rows;
  const grants = rows.filter(({ owner }) => owner !== null).map(readGrant);
  const [latest, ...earlier] = grants;
  if (latest !== undefined) return { status: 'granted', grants: [latest, ...earlier] };
  if (value > readWholeNumber(first.max_id, 'max_id')) return { status: 'not-drawn' };
  const logged = first.log_start !== null && value >= readWholeNumber(first.log_start, 'log_start');
  return { status: logged ? 'not-logged' : 'before-log' };
}

function readGrant({ low, high, owner, granted_ms: grantedMs }: Row): Grant {
  return {
    low: readWholeNumber(low, 'low'),
    high: readWholeNumber(high, 'high'),
    owner: String(owner),
    grantedAt: new Date(Number(grantedMs)),
  };
}
