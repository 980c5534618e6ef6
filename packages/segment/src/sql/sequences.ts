import { IdError } from '@ids/core';
import { postgresZone } from '../groups/group-sql.js';
import { groupProblem, groupsDiffer, type SequenceGroup } from '../groups/sequence-group.js';
import type { SequenceStart } from '../memory-segment-source.js';
import { assertIdBound, assertSequenceName } from '../segment.js';
import type { SequenceState } from '../segment-source.js';
import { assertReplicated } from './durability.js';
import { runOn, type SqlExecutor, type SqlResult } from './executor.js';
import { findSequenceReign } from './find-reign.js';
import { PostgresSegmentSource } from './postgres-segment-source.js';
import { missingSequence } from './refusal.js';
import { TIMELINE } from './reign.js';
import { readSequence, statementsFor } from './statements.js';
import { DEFAULT_TABLE, quotedTable, type TableOptions } from './table-name.js';

export interface CreatedSequence extends SequenceState {
  /** False if the sequence already existed; it was not changed, whatever `startAfter` says. */
  readonly created: boolean;
}

export interface CreateSequenceOptions extends SequenceStart, TableOptions {
  /** Restarts in each day, month or year, by the database's clock. None by default. */
  readonly group?: SequenceGroup | undefined;
}

/**
 * Adds a sequence to the table, unless it exists; its first id is the one after `startAfter`. To continue
 * existing ids, start after the greatest of them. Rejects with `ERR_IDS_CONFIG` if the sequence exists with
 * other groups, or if the server does not know the time zone.
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
  const existing = await new PostgresSegmentSource(executor, { table }).describe(name);
  const difference = groupsDiffer(name, existing.group, group);
  if (difference !== undefined) throw difference;
  return { created: false, ...existing };
}

export interface FloorOptions extends TableOptions {
  /**
   * Whether no id above the floor was ever issued or is held by a process; default false. Then a failover or
   * a restore of the table is over: the next reservation skips nothing, and those that `'refuse'` refused are
   * possible again. Otherwise the next one skips or is refused as before, above the floor.
   */
  readonly checked?: boolean | undefined;
}

/**
 * Raises a sequence so that every later id is above `floor`, unless it is already. Resolves with the
 * resulting state.
 */
export async function setFloor(
  executor: SqlExecutor,
  name: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false }: FloorOptions = {},
): Promise<SequenceState> {
  assertSequenceName(name);
  assertIdBound('floor', floor);
  const [row] = await run(executor, table, checked ? 'setCheckedFloor' : 'setFloor', [name, floor]);
  if (row === undefined) {
    const execute = runOn(executor, table);
    throw await missingSequence(async (...query) => (await execute(...query)).rows, name, table);
  }
  return readSequence(row);
}

async function run(
  executor: SqlExecutor,
  table: string,
  statement: 'create' | 'setFloor' | 'setCheckedFloor',
  values: readonly [string, ...unknown[]],
): Promise<SqlResult['rows']> {
  const execute = runOn(executor, table);
  const [name] = values;
  const { guard } = await findSequenceReign(async (...query) => (await execute(...query)).rows, table, name);
  const { rows, notices } = await execute(statementsFor(table, guard)[statement], values);
  assertReplicated(
    notices,
    name,
    `${statement === 'create' ? 'createSequence' : 'setFloor'} has to be repeated`,
  );
  return rows;
}

/**
 * What `createSequence` does, with the same options, as SQL for a migration. It is safe to run again. The row
 * stores its timeline where the server discloses it: if the server fails over before the first reservation is
 * replicated, the next one notices. It stores no transaction, because a migration may run in a savepoint.
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
  const body = `
DECLARE
  history text;
BEGIN
  BEGIN
    history := ${TIMELINE};
  EXCEPTION WHEN OTHERS THEN
    NULL; -- This server does not disclose it.
  END;
  INSERT INTO ${quotedTable(table).table} (${columns}, timeline, reigns)
  VALUES (${values}, history, concat('.', history, '-', left(gen_random_uuid()::text, 8)))
  ON CONFLICT (server_name) DO NOTHING;
END
`;
  const tag = quoteFor(body);
  return `DO ${tag}${body}${tag};\n`;
}

/** A dollar quote that `body` does not contain. */
function quoteFor(body: string): string {
  for (let number = 1; ; number++) {
    const tag = `$sequence${number === 1 ? '' : number}$`;
    if (!body.includes(tag)) return tag;
  }
}

/**
 * With the prefix `E` for backslashes, so that the value of `standard_conforming_strings` does not matter.
 */
function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
