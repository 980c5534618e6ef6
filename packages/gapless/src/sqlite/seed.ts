import { sqliteTable } from '@ids/store/sqlite';
import * as errors from '../errors.js';
import { assertNumbers, type Documents } from '../table/documents.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { mismatchStatement, numberedRows } from './documents.js';
import { onSqlite } from './run.js';
import { reignStatement } from './statements.js';
import { hexOf, type Step, textOf, type Work } from './work.js';

type Named = Pick<NumberRequest, 'name' | 'table'>;

/**
 * `seedWithin` on SQLite: `keys` and `highest`. Nobody else writes to the file once this transaction may, so
 * no isolation is asked for.
 */
export function seedOnSqlite(port: TransactionPort, request: NumberRequest, documents: Documents) {
  return onSqlite(port, request, function* () {
    yield* assertSeries(request);
    assertNumbers(documents, (yield { text: mismatchStatement(documents), values: [] })[0]);
    for (const text of seedStatements(request, documents)) yield { text, values: [] };
    const { quoted } = sqliteTable(request.table);
    const [row] = yield {
      text: `SELECT CAST(count(*) AS text) AS "keys", CAST(COALESCE(max(n.last_number), 0) AS text) AS highest
FROM ${quoted} n WHERE n.series = ? AND n.sequence_key IN (SELECT d.sequence_key FROM (${numberedRows(documents)}) d)`,
      values: [request.name],
    };
    return row;
  });
}

/** Raises the keys that are below the numbers of their documents, and then adds those that are missing. */
export function seedStatements({ name, table }: Named, documents: Documents): string[] {
  const { quoted } = sqliteTable(table);
  const ends = `(SELECT d.sequence_key, max(d.number) AS number FROM (${numberedRows(documents)}) d GROUP BY d.sequence_key HAVING max(d.number) > 0)`;
  return [
    `UPDATE ${quoted} SET last_number = e.number FROM ${ends} e
WHERE series = ${textOf(name)} AND ${quoted}.sequence_key = e.sequence_key AND last_number < e.number`,
    `INSERT INTO ${quoted} (series, sequence_key, last_number) SELECT ${textOf(name)}, e.sequence_key, e.number FROM ${ends} e
WHERE NOT EXISTS (SELECT 1 FROM ${quoted} n WHERE n.series = ${textOf(name)} AND n.sequence_key = e.sequence_key)`,
  ];
}

/** As on Postgres. */
export function unseededStatement(name: string, table: string | undefined, documents: Documents): string {
  const highest = `SELECT d.sequence_key, max(d.number) AS number FROM (${numberedRows(documents)}) d GROUP BY d.sequence_key`;
  const numbers =
    table === undefined
      ? ''
      : `LEFT JOIN ${sqliteTable(table).quoted} n ON n.series = ${textOf(name)} AND n.sequence_key = m.sequence_key`;
  const last = table === undefined ? '0' : 'COALESCE(n.last_number, 0)';
  return `SELECT CAST(count(*) AS text) AS "keys", CAST(COALESCE(max(m.number), 0) AS text) AS highest
FROM (${highest}) m ${numbers} WHERE m.number > ${last}`;
}

/** `raiseWithin` on SQLite: `highest`. */
export function raiseOnSqlite(port: TransactionPort, request: NumberRequest, last: number) {
  const { name, key, table } = request;
  const { quoted } = sqliteTable(table);
  const isKey = 'WHERE series = ? AND sequence_key = ?';
  const values = [name, hexOf(key)];
  const statements: Step[] = [
    { text: `UPDATE ${quoted} SET last_number = max(last_number, ${last}) ${isKey}`, values },
    {
      text: `INSERT INTO ${quoted} (series, sequence_key, last_number) SELECT ?, ?, ${last} WHERE NOT EXISTS (SELECT 1 FROM ${quoted} ${isKey})`,
      values: [...values, ...values],
    },
  ];
  return onSqlite(port, request, function* () {
    yield* assertSeries(request);
    for (const statement of statements) yield statement;
    const [row] = yield {
      text: `SELECT CAST(last_number AS text) AS highest FROM ${quoted} ${isKey}`,
      values,
    };
    return row;
  });
}

function* assertSeries(request: NumberRequest): Work<void> {
  if ((yield reignStatement(request)).length === 0) throw errors.unknownSeries(request);
}
