import { IdError } from '@ids/core';
import type { Row } from '@ids/store';
import { type Layout, layoutText } from '../ids/layout.js';
import { AHEAD_MS } from '../windows/lengths.js';
import type { Holder, NoneFree, Refusal, Refused } from '../windows/slot-table.js';
import { SLOT_TABLE } from './wording.js';

/** What is known about the slots of a name. */
export interface SlotState {
  /** How many slots there are. */
  readonly slots: number;
  /** Until when time was granted to any of them, and the database's clock, in milliseconds since 1970. */
  readonly grantedUntil: number;
  readonly now: number;
  /** What the store is not set up to survive. */
  readonly warnings: readonly string[];
}

/** The slots of a name do not fit the layout of a generator or, row by row, their own. */
export class SlotLayoutError extends IdError {}

/** A message about a table of slots. */
export function aboutTable(table: string, text: string): string {
  return `${SLOT_TABLE.what} ${table}: ${text}`;
}

export function noSlots(table: string, name: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    aboutTable(table, `there are no slots ${JSON.stringify(name)}; create them once with createSlots`),
  );
}

/** Throws unless all `layouts` that slots of the name were created for are the `layout` of the generator. */
export function assertLayout(table: string, name: string, layout: Layout, layouts: readonly string[]): void {
  const own = layoutText(layout);
  const others = layouts.filter((one) => one !== own);
  if (others.length === 0) return;
  throw new SlotLayoutError('ERR_IDS_CONFIG', aboutTable(table, otherLayout(name, own, others)));
}

function otherLayout(name: string, own: string, found: readonly string[]): string {
  const [layout, epoch] = (found[0] ?? '').split('@');
  const [, ownEpoch] = own.split('@');
  const options = `"layout": "${layout}"${epoch === ownEpoch ? '' : ` and "epoch": ${epoch}`}`;
  return (
    `the slots ${JSON.stringify(name)} were created for the layout ${found.join(', ')}, and this generator has ${own}: ` +
    `ids of different layouts can be equal. Set ${options}, as the slots have; or, if the new ids are stored ` +
    'elsewhere, choose another "name" and create slots for it'
  );
}

/**
 * Drivers return a BIGINT as a string, a bigint or, with a parser of the user's own, a number. A time beyond
 * 2^53 was set by hand: it is said to be the last one, so that the other slots can be used all the same.
 */
export function readMs(value: unknown): number {
  const number = Number(value);
  if (number > Number.MAX_SAFE_INTEGER && /^[0-9]+$/.test(String(value))) return Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(number) && number >= 0 && String(number) === String(value)) return number;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a time in the slot table must be a whole number of milliseconds, got ${String(value)}`,
  );
}

/** The last time that a Date can have; any later one is said to be this. */
const LAST_DATE_MS = 8.64e15;

/** The name of a reign as a statement returns it; undefined for null. */
export function readReign(value: unknown): string | undefined {
  return value === null ? undefined : String(value);
}

/** All slots of a name, from rows with an `owner` that is null where nobody holds the slot. */
export function readHolders(rows: readonly Row[]): NoneFree {
  return {
    now: readMs(rows[0]?.now_ms ?? 0),
    slots: rows.length,
    holders: rows.filter(({ owner }) => owner !== null).map(readHolder),
  };
}

function readHolder({ slot, owner, since_ms: since, until_ms: until }: Row): Holder {
  return {
    slot: Number(slot),
    owner: String(owner),
    since: new Date(readMs(since)),
    until: new Date(Math.min(readMs(until), LAST_DATE_MS)),
  };
}

/** An answer without a window. `row` has the claim and where the window would begin. */
export function refusedAs(refusal: Refusal, row: Row, now: number, waitMs: number): Refused {
  if (refusal === 'early') return { refusal, againMs: readMs(row.since_ms) + waitMs - now, now };
  return { refusal, againMs: refusal === 'ahead' ? readMs(row.from_ms) - AHEAD_MS - now : 0, now };
}
