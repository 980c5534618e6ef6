import { IdError } from '@ids/core';
import {
  literal,
  type SqliteExecutor,
  type SqliteTableSql,
  sqliteTable,
  sqliteTableSql,
} from '@ids/store/sqlite';
import { isSteadyZone } from '../groups/group-clock.js';
import type { SequenceGroup } from '../groups/sequence-group.js';
import { noSuchSequence, type SequenceState } from '../segment-source.js';
import type { CreatedSequence, NewSequence, Raise } from '../table/dialect.js';
import { sequenceIn } from '../table/sequence-row.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import {
  createMissingStatement,
  createStatement,
  readStatement,
  setFloorStatement,
  settleStatement,
} from './statements.js';

/** `createSequence` on SQLite. */
export async function createSqliteSequence(
  executor: SqliteExecutor,
  sequence: NewSequence,
): Promise<CreatedSequence> {
  assertZone(sequence.group);
  const { name, table } = sequence;
  const names = sqliteTable(table);
  const sql = sqliteTableSql(executor, table, SEGMENT_TABLE);
  const create = createStatement(sequence, names);
  // Asked before: a copy from between the two statements would otherwise get its own file's name, as if no id
  // had been issued of its row. Both statements refuse to run in another file.
  const { id } = await sql.home();
  const created = (await sql.rows(create.text, create.values, undefined, id)).length > 0;
  if (created) {
    const settle = settleStatement(names, name, id);
    await sql.rows(settle.text, settle.values, undefined, id);
  }
  return { created, ...(await find(sql, name)) };
}

/** `sequenceSql` for SQLite. */
export function sqliteSequenceSql(sequence: NewSequence): string {
  assertZone(sequence.group);
  return `${createMissingStatement(sequence, sqliteTable(sequence.table))};\n`;
}

/** SQLite knows no zones. */
function assertZone(group: SequenceGroup | undefined): void {
  if (group === undefined || isSteadyZone(group.timeZone)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "group": "timeZone" must be "UTC" or an offset such as "+08:00" on SQLite, got ${literal(group.timeZone)}; ` +
      'for a zone that changes its clocks, keep the sequence in Postgres',
  );
}

/** `setFloor` on SQLite. */
export async function setSqliteFloor(
  executor: SqliteExecutor,
  table: string,
  name: string,
  { floor, checked }: Raise,
): Promise<SequenceState> {
  const sql = sqliteTableSql(executor, table, SEGMENT_TABLE);
  const home = checked ? (await sql.home()).id : undefined;
  const { text, values } = setFloorStatement(sqliteTable(table), name, floor, home);
  await sql.rows(text, values, undefined, home);
  return find(sql, name);
}

async function find(sql: SqliteTableSql, name: string): Promise<SequenceState> {
  const { text, values } = readStatement(sqliteTable(sql.table), name);
  const [row] = await sql.rows(text, values);
  if (row !== undefined) return sequenceIn(row);
  throw noSuchSequence(name, `table ${sql.table}`);
}
