import type { IdError } from '@ids/core';
import type { Row } from '@ids/store';
import { isDuplicate, type MysqlExecutor, mysqlTable, tableSql } from '@ids/store/mysql';
import { noSuchSequence, type SequenceState } from '../segment-source.js';
import type { CreatedSequence, NewSequence, Raise } from '../table/dialect.js';
import { sequenceIn } from '../table/sequence-row.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import { zoneProblem } from './groups.js';
import { createMissingStatement, createStatement, readStatement, setFloorStatement } from './statements.js';

/** `createSequence` on MySQL. */
export async function createMysqlSequence(
  executor: MysqlExecutor,
  sequence: NewSequence,
): Promise<CreatedSequence> {
  const sql = tableSql(executor, sequence.table, SEGMENT_TABLE);
  const created = await sql.commit(createStatement(checked(sequence))).then(
    () => true,
    (error: IdError) => {
      if (isDuplicate(error.cause)) return false;
      throw error;
    },
  );
  return { created, ...sequenceIn(await findRow(executor, sequence.name, sequence.table)) };
}

/** `sequenceSql` for MySQL. */
export function mysqlSequenceSql(sequence: NewSequence): string {
  return `${createMissingStatement(checked(sequence))};\n`;
}

/** The sequence, or an error for a zone that MySQL does not know. */
function checked(sequence: NewSequence): NewSequence {
  const refused = sequence.group && zoneProblem(sequence.group);
  if (refused !== undefined) throw refused;
  return sequence;
}

/** `setFloor` on MySQL. */
export async function setMysqlFloor(
  executor: MysqlExecutor,
  table: string,
  name: string,
  { floor, checked }: Raise,
): Promise<SequenceState> {
  const row = await findRow(executor, name, table);
  const pace = Number(row.has_pace) === 1;
  const text = setFloorStatement(mysqlTable(table), name, floor, { checked, pace });
  await tableSql(executor, table, SEGMENT_TABLE).commit(text);
  return sequenceIn(await findRow(executor, name, table));
}

async function findRow(executor: MysqlExecutor, name: string, table: string): Promise<Row> {
  const text = readStatement(mysqlTable(table), name);
  const [row] = await tableSql(executor, table, SEGMENT_TABLE).rows(text);
  if (row !== undefined && row.realm !== null) return row;
  throw noSuchSequence(name, `table ${table}`);
}
