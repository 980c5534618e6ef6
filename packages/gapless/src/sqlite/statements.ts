import { type SqliteTable, sqliteTable } from '@ids/store/sqlite';
import { referenceTableOf, seriesTableOf } from '../table/names.js';
import type { NumberRequest, Referenced } from '../table/request.js';
import { hexOf, type Step } from './work.js';

/*
 * Every SQL text of daily use. One transaction writes to a file at a time, so only the first of them waits.
 *
 * Run twice: numbers twice, in one transaction, which uses them or gives all of them back. After a loss of
 * the answer, or on a file that nobody else sees: as the row that carries the number, which is in the same
 * transaction.
 */

export function seriesOf(table: string): SqliteTable {
  return sqliteTable(seriesTableOf(table));
}

function referencesOf(table: string): SqliteTable {
  return sqliteTable(referenceTableOf(table));
}

/** Writes nothing. No trigger is on this column, so none is compiled. */
export function lockStatement(table: string): string {
  return `UPDATE ${seriesOf(table).quoted} SET created_at = created_at WHERE 0`;
}

/** Takes numbers of a key that has some: `last`. */
export function raiseStatement({ name, key, count, table }: NumberRequest): Step {
  return {
    text: `UPDATE ${sqliteTable(table).quoted} SET last_number = last_number + CAST(? AS integer)
WHERE series = ? AND sequence_key = ? RETURNING CAST(last_number AS text) AS last`,
    values: [count, name, hexOf(key)],
  };
}

/** The same of a key that has none. No row if it has, or without such a series. */
export function bearStatement({ name, key, count, table }: NumberRequest): Step {
  const { quoted } = sqliteTable(table);
  return {
    text: `INSERT INTO ${quoted} (series, sequence_key, last_number) SELECT s.series, ?, CAST(? AS integer) FROM ${seriesOf(table).quoted} s
WHERE s.series = ? AND NOT EXISTS (SELECT 1 FROM ${quoted} n WHERE n.series = s.series AND n.sequence_key = ?)
RETURNING CAST(last_number AS text) AS last`,
    values: [hexOf(key), count, name, hexOf(key)],
  };
}

/** What a reference was given. */
export function findReference({ name, reference, table }: Referenced): Step {
  return {
    text: `SELECT sequence_key AS "key", CAST(first_number AS text) AS first, CAST(last_number AS text) AS last
FROM ${referencesOf(table).quoted} WHERE series = ? AND reference = ?`,
    values: [name, hexOf(reference)],
  };
}

/** Notes the numbers of a reference, of which `last` is the last one. */
export function addReference({ name, reference, key, count, table }: Referenced, last: number): Step {
  return {
    text: `INSERT INTO ${referencesOf(table).quoted} (series, reference, sequence_key, first_number, last_number)
VALUES (?, ?, ?, CAST(? AS integer), CAST(? AS integer)) RETURNING series`,
    values: [name, hexOf(reference), hexOf(key), last - count + 1, last],
  };
}

/** The file in which a series was created or accepted. No row without such a series. */
export function reignStatement({ name, table }: Pick<NumberRequest, 'name' | 'table'>): Step {
  return { text: `SELECT reign_server FROM ${seriesOf(table).quoted} WHERE series = ?`, values: [name] };
}

/** Names the file in a row that names none, as one of a migration. */
export function settleStatement(
  { name, table }: Pick<NumberRequest, 'name' | 'table'>,
  home: string,
): Required<Step> {
  return {
    text: `UPDATE ${seriesOf(table).quoted} SET reign_server = ? WHERE series = ? AND reign_server IS NULL`,
    values: [home, name],
  };
}
