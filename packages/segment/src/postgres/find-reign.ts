import { type IdError, isIdError } from '@ids/core';
import type { Reigns } from '../segment-source.js';
import { readOrigin } from '../store/columns.js';
import { type Row, SEGMENT_TABLE, type TableWording } from '../store/executor.js';
import type { ReignChange } from '../store/reign-change.js';
import { quotedTable } from '../store/table-name.js';
import { isUnsupported, isWrongState, type Run } from './errors.js';
import type { ReignGuard } from './reign.js';
import { REIGN_FACTS_STATEMENT, statementsFor } from './statements.js';

export type UsableGuard = Exclude<ReignGuard, 'off'>;

/** What `findReign` says about a sequence. */
export interface FoundSequenceReign extends FoundReign {
  /** The names of the reigns in its row; undefined without any. */
  readonly reigns: Reigns | undefined;
}

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

/** The reign of a sequence in a segment table; `facts` is read if it is not there yet. */
export async function findSequenceReign(
  run: Run,
  table: string,
  name: string,
  facts?: Row,
): Promise<FoundSequenceReign> {
  let reigns: Reigns | undefined;
  const found = await findReign({
    run,
    facts: facts ?? (await run(REIGN_FACTS_STATEMENT, [quotedTable(table).table]))[0],
    changeOf: async (guard) => {
      const state = await reignOf(run, table, name, guard);
      ({ reigns } = state);
      return state.change;
    },
    wording: SEGMENT_TABLE,
  });
  return { ...found, reigns };
}

async function isPrimary(run: Run): Promise<boolean> {
  const [row] = await run('SELECT pg_catalog.pg_is_in_recovery() AS standby', []);
  return row?.standby === false;
}

/** What a row says about its reign. */
export interface RowReign {
  /** What the next reservation would detect. */
  readonly change: ReignChange | undefined;
  readonly reigns: Reigns | undefined;
  /** Present if the row was written in a timeline that has followed the one of this server. */
  readonly supersededBy: { readonly timeline: string; readonly here: string } | undefined;
}

/** Reads what a row says about its reign. */
export async function reignOf(run: Run, table: string, name: string, guard: UsableGuard): Promise<RowReign> {
  const [row = {}] = await run(statementsFor(table, guard).change, [name]);
  const { superseded_by: timeline, here_timeline: here } = row;
  return {
    change: readChange(row.change),
    reigns: readOrigin(row).reigns,
    supersededBy: typeof timeline === 'string' ? { timeline, here: String(here) } : undefined,
  };
}

export function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

function off(why: string): FoundReign {
  const missing = `promoted standbys and restored tables are not detected: ${why}`;
  return { guard: 'off', change: undefined, missing };
}

function reason({ cause }: IdError): string {
  return cause instanceof Error ? cause.message : String(cause);
}
