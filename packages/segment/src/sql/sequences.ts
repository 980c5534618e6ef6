import { IdError } from '@ids/core';
import type { SequenceStart } from '../memory-segment-source.js';
import { assertIdBound } from '../segment-size.js';
import type { Sequence } from '../segment-source.js';
import { groupProblem, groupsDiffer, type SequenceGroup } from '../sequence-group.js';
import { assertSequenceName } from '../sequence-name.js';
import { postgresZone } from './group-sql.js';
import { readSequence } from './read-row.js';
import { findReign } from './reign-guard.js';
import { assertReplicated } from './replicated.js';
import { missingSequence } from './row-security.js';
import type { TableOptions } from './segment-schema.js';
import { runOn } from './sql-error.js';
import type { SqlExecutor, SqlResult } from './sql-executor.js';
import { SqlSegmentSource } from './sql-segment-source.js';
import { statementsFor } from './statements.js';
import { DEFAULT_TABLE } from './table-name.js';

export interface CreatedSequence extends Sequence {
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
): Promise<Sequence> {
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
