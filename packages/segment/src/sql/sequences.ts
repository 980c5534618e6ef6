import type { SequenceStart } from '../memory-segment-source.js';
import { assertIdBound } from '../segment-size.js';
import type { Sequence } from '../segment-source.js';
import { assertSequenceName } from '../sequence-name.js';
import { noSuchSequence } from '../source-errors.js';
import type { TableOptions } from './segment-schema.js';
import { sqlError } from './sql-error.js';
import type { SqlExecutor, SqlResult } from './sql-executor.js';
import { readBigint, SqlSegmentSource } from './sql-segment-source.js';
import { type Statements, statementsFor } from './statements.js';
import { DEFAULT_TABLE } from './table-name.js';

export interface CreatedSequence extends Sequence {
  /** False when the sequence existed already; it was left as it is, whatever `startAfter` says. */
  readonly created: boolean;
}

/**
 * Adds a sequence to the table; the first id given is the one after `startAfter`. To continue existing ids, start after the
 * greatest of them. One that exists is left alone.
 */
export async function createSequence(
  executor: SqlExecutor,
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE }: SequenceStart & TableOptions = {},
): Promise<CreatedSequence> {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const [row] = await run(executor, table, 'create', [name, startAfter]);
  if (row !== undefined) return { created: true, ...readSequence(row) };
  return { created: false, ...(await new SqlSegmentSource(executor, { table }).describe(name)) };
}

/**
 * Raises a sequence so that every later id lies above `floor`; one that stands higher already is left alone. The repair for a
 * table that was restored from an old backup. Resolves with where the sequence stands then.
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
  if (row === undefined) throw noSuchSequence(name, `table ${table}`);
  return readSequence(row);
}

async function run(
  executor: SqlExecutor,
  table: string,
  statement: keyof Statements,
  values: readonly unknown[],
): Promise<SqlResult['rows']> {
  const text = statementsFor(table)[statement];
  try {
    return (await executor.execute(text, values)).rows;
  } catch (error) {
    throw sqlError(error, table);
  }
}

function readSequence(row: SqlResult['rows'][number]): Sequence {
  return { realm: String(row.realm), maxId: readBigint(row.max_id) };
}
