import { type IdError, isIdError } from '@ids/core';
import type { Row } from '../executor.js';
import type { ReignChange } from '../reign-change.js';
import type { TableWording } from '../table-shape.js';
import { isUnsupported, isWrongState, type Run } from './errors.js';
import { PACE_COLUMNS } from './pace.js';
import { REIGN_COLUMNS, type ReignGuard } from './reign.js';

export type UsableGuard = Exclude<ReignGuard, 'off'>;

export interface FoundReign {
  readonly guard: ReignGuard;
  /** What the next reservation would detect. */
  readonly change: ReignChange | undefined;
  /** What the guard cannot detect, and why; undefined if it is complete. */
  readonly missing: string | undefined;
}

/** A table whose rows name the reign in which they were written. */
export interface ReignTable {
  readonly run: Run;
  /** A row with `REIGN_FACTS` about the table. */
  readonly facts: Row | undefined;
  /** What the next statement would detect with this guard. */
  readonly changeOf: (guard: UsableGuard) => Promise<ReignChange | undefined>;
  readonly wording: TableWording;
}

/** Finds out by trying how much of the reign can be compared. */
export async function findReign({ run, facts, changeOf, wording }: ReignTable): Promise<FoundReign> {
  if (facts?.reign_columns !== true) return off(`it lacks their columns; run ${wording.create} again`);
  if (facts.reign_usable !== true)
    return off(`the role may not use their columns; grant what ${wording.grants} prints`);
  const { guard, result: change, undisclosed } = await withBestGuard(run, changeOf);
  const missing =
    undisclosed === undefined
      ? undefined
      : `promoted standbys are not detected, because the server does not disclose its timeline: ${undisclosed}`;
  return { guard, change, missing };
}

interface Guarded<T> {
  readonly guard: UsableGuard;
  readonly result: T;
  /** What the server said instead of its timeline. */
  readonly undisclosed: string | undefined;
}

/** Runs a statement that compares or stores the reign: all of it, or what the server discloses of it. */
export async function withBestGuard<T>(
  run: Run,
  attempt: (guard: UsableGuard) => Promise<T>,
): Promise<Guarded<T>> {
  for (let primary = false; ; primary = true) {
    try {
      return { guard: 'full', result: await attempt('full'), undisclosed: undefined };
    } catch (error) {
      if (!isIdError(error)) throw error;
      // A standby fails in the same way as a primary that does not disclose its timeline, and may be promoted
      // at any moment. So the error counts after the server was a primary, which it remains.
      const wrong = isWrongState(error.cause);
      if (wrong && !primary && (await isPrimary(run))) continue;
      if (!isUnsupported(error.cause) && !(wrong && primary)) throw error;
      return { guard: 'row', result: await attempt('row'), undisclosed: reason(error) };
    }
  }
}

async function isPrimary(run: Run): Promise<boolean> {
  const [row] = await run('SELECT pg_catalog.pg_is_in_recovery() AS standby', []);
  return row?.standby === false;
}

function off(why: string): FoundReign {
  const missing = `promoted standbys and restored tables are not detected: ${why}`;
  return { guard: 'off', change: undefined, missing };
}

function reason({ cause }: IdError): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * The facts about the columns of the reign, for a table `c`: whether all of them exist, and whether the role
 * may use them. `reign_usable` is null without the columns.
 */
export function reignFacts(columns: Readonly<Record<string, string>> = REIGN_COLUMNS): string {
  const names = Object.keys(columns);
  const list = names.map((name) => `'${name}'`).join(', ');
  return `
  (SELECT count(*) = ${names.length} FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${list}) AND NOT a.attisdropped) AS reign_columns,
  (SELECT bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND (a.attname = 'xmin' OR has_column_privilege(c.oid, a.attnum, 'UPDATE'))) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${list}, 'xmin') AND NOT a.attisdropped) AS reign_usable`;
}

/** For a table `c`: how many columns of the pace the role may use. */
export const PACE_FACTS = `
  (SELECT count(*)::int FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname IN (${Object.keys(
    PACE_COLUMNS,
  )
    .map((name) => `'${name}'`)
    .join(', ')})
    AND NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND has_column_privilege(c.oid, a.attnum, 'UPDATE')) AS pace_columns`;

/** Whether the role may use all columns of the pace. */
export function hasPace(facts: Row | undefined): boolean {
  return facts?.pace_columns === Object.keys(PACE_COLUMNS).length;
}
