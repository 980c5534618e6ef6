import { type IdError, isIdError } from '@ids/core';
import { REIGN_FACTS_STATEMENT } from './describe-statement.js';
import type { Row } from './read-row.js';
import type { ReignChange, ReignGuard } from './reign.js';
import { isUnsupported } from './sql-error.js';
import { statementsFor } from './statements.js';
import { quotedTable } from './table-name.js';

/** Runs one statement against the segment table; its errors are those of `sqlError`. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

export interface FoundReign {
  readonly guard: ReignGuard;
  /** What the next reservation would notice. */
  readonly change: ReignChange | undefined;
  /** What the guard cannot see, and why; undefined with the whole of it. */
  readonly missing: string | undefined;
}

/**
 * How much of the reign can be compared, found out by trying; `facts` is a row with the facts of the reign.
 */
export async function findReign(run: Run, table: string, name: string, facts?: Row): Promise<FoundReign> {
  const row = facts ?? (await run(REIGN_FACTS_STATEMENT, [quotedTable(table).table]))[0];
  if (row?.reign_columns !== true)
    return off('it lacks their columns; run ensureSchema or segmentSchema again');
  if (row.reign_usable !== true)
    return off('the role may not use their columns; grant what segmentGrants prints');
  try {
    return { guard: 'full', change: await changeOf(run, table, name, 'full'), missing: undefined };
  } catch (error) {
    if (!isIdError(error) || !isUnsupported(error.cause)) throw error;
    const missing = `promoted standbys are not noticed, since the server does not tell its timeline: ${reason(error)}`;
    return { guard: 'row', change: await changeOf(run, table, name, 'row'), missing };
  }
}

/** What the next reservation would notice. */
export async function changeOf(
  run: Run,
  table: string,
  name: string,
  guard: Exclude<ReignGuard, 'off'>,
): Promise<ReignChange | undefined> {
  const [row] = await run(statementsFor(table, guard).change, [name]);
  return readChange(row?.change);
}

export function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

function off(why: string): FoundReign {
  const missing = `promoted standbys and restored tables are not noticed: ${why}`;
  return { guard: 'off', change: undefined, missing };
}

function reason({ cause }: IdError): string {
  return cause instanceof Error ? cause.message : String(cause);
}
