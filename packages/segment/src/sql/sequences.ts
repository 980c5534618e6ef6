import { IdError } from '@ids/core';
import { postgresZone } from '../groups/group-sql.js';
import { groupProblem, groupsDiffer, type SequenceGroup } from '../groups/sequence-group.js';
import type { SequenceStart } from '../memory-segment-source.js';
import { assertIdBound, assertSequenceName } from '../segment.js';
import type { SequenceState } from '../segment-source.js';
import { assertReplicated, findReign } from './durability.js';
import { runOn, type SqlExecutor, type SqlResult } from './executor.js';
import { missingSequence } from './refusal.js';
import { SqlSegmentSource } from './sql-segment-source.js';
import { readSequence, statementsFor } from './statements.js';
import type { TableOptions } from './table-name.js';
import { DEFAULT_TABLE, quotedTable } from './table-name.js';

export interface CreatedSequence extends SequenceState {
  /** False when the sequence existed already; it was left as it is, whatever `startAfter` says. */
  readonly created: boolean;
}

export interface CreateSequenceOptions extends SequenceStart, TableOptions {
  /** Counts anew in each day, month or year, by the database's clock. None by default. */
  readonly group?: SequenceGroup | undefined;
}

/**
 * Adds a sequence to the table; the first id given is the one after `startAfter`. To continue existing ids,
 * start after the greatest of them. One that exists is left alone; should its groups be others than those
 * asked for, rejects with `ERR_IDS_CONFIG`, as it does for a time zone that the server does not know.
 */
export async function createSequence(
  executor: SqlExecutor,
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE, group }: CreateSequenceOptions = {},
): Promise<CreatedSequence> {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const problem = group === undefined ? undefined : groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  const groupValues = group === undefined ? [null, null] : [group.by, postgresZone(group)];
  const [row] = await run(executor, table, 'create', [name, startAfter, ...groupValues]);
  if (row !== undefined) return { created: true, ...readSequence(row), ...(group && { group }) };
  const existing = await new SqlSegmentSource(executor, { table }).describe(name);
  const difference = groupsDiffer(name, existing.group, group);
  if (difference !== undefined) throw difference;
  return { created: false, ...existing };
}

/**
 * Raises a sequence so that every later id lies above `floor`; one that stands higher already is left
 * alone. The repair for a table that was restored from an old backup: reservations that were refused
 * since then (`afterRestore: 'refuse'`) are made again, and the next one skips nothing. Resolves with
 * where the sequence stands then.
 */
export async function setFloor(
  executor: SqlExecutor,
  name: string,
  floor: number,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<SequenceState> {
  assertSequenceName(name);
  assertIdBound('floor', floor);
  const [row] = await run(executor, table, 'setFloor', [name, floor]);
  if (row === undefined) {
    const execute = runOn(executor, table);
    throw await missingSequence(async (...query) => (await execute(...query)).rows, name, table);
  }
  return readSequence(row);
}

async function run(
  executor: SqlExecutor,
  table: string,
  statement: 'create' | 'setFloor',
  values: readonly [string, ...unknown[]],
): Promise<SqlResult['rows']> {
  const execute = runOn(executor, table);
  const [name] = values;
  const { guard } = await findReign(async (...query) => (await execute(...query)).rows, table, name);
  const { rows, notices } = await execute(statementsFor(table, guard)[statement], values);
  assertReplicated(
    notices,
    name,
    `${statement === 'create' ? 'createSequence' : 'setFloor'} has to be repeated`,
  );
  return rows;
}

/**
 * The row of a sequence as SQL for a migration, safe to run again: what `createSequence`
 * adds, with the same options.
 */
export function sequenceSql(
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE, group }: CreateSequenceOptions = {},
): string {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const problem = group === undefined ? undefined : groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  const row = {
    server_name: literal(name),
    ...(startAfter > 0 && { max_id: String(startAfter) }),
    ...(group && { group_by: literal(group.by), time_zone: literal(postgresZone(group)) }),
  };
  const [columns, values] = [Object.keys(row), Object.values(row)].map((parts) => parts.join(', '));
  return `INSERT INTO ${quotedTable(table).table} (${columns}) VALUES (${values}) ON CONFLICT (server_name) DO NOTHING;\n`;
}

/** With the prefix that gives a backslash one meaning, whatever `standard_conforming_strings` says. */
function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
