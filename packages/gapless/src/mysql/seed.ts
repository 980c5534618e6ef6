import { bytesOf, mysqlTable } from '@ids/store/mysql';
import * as errors from '../errors.js';
import { assertNumbers, type Documents } from '../table/documents.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { mismatchStatement, numberedRows } from './documents.js';
import { proveOpen } from './open.js';
import { limits } from './statements.js';

/**
 * `seedWithin` on MySQL: `keys` and `highest`. A locking read sees what is committed, and from REPEATABLE
 * READ on it keeps others from adding rows. The keys come first: whoever has one of them locked may wait
 * for the rows of the documents.
 */
export async function seedOnMysql(tx: TransactionPort, request: NumberRequest, documents: Documents) {
  await proveOpen(tx, request);
  const [facts] = await tx.run(
    'SELECT /*M!100000 @@tx_isolation */ /*!80000 @@transaction_isolation */ AS isolation',
  );
  if (!/^(REPEATABLE-READ|SERIALIZABLE)$/.test(String(facts?.isolation))) {
    throw errors.wrongIsolation(request, facts?.isolation, 'REPEATABLE READ');
  }
  const { name, table } = request;
  const numbers = mysqlTable(table).quoted;
  await tx.run(`SELECT count(*) FROM ${numbers} WHERE series = ${bytesOf(name)} FOR UPDATE`);
  const locks = documents.format === undefined ? '' : ' LOCK IN SHARE MODE';
  assertNumbers(documents, (await tx.run(mismatchStatement(documents) + locks))[0]);
  await tx.run(seedStatement(request, documents));
  const [row] =
    await tx.run(`SELECT CAST(count(*) AS CHAR) AS \`keys\`, CAST(COALESCE(max(n.last_number), 0) AS CHAR) AS highest
FROM ${numbers} n WHERE n.series = ${bytesOf(name)}
  AND n.sequence_key IN (SELECT d.sequence_key FROM (${numberedRows(documents)}) d) LOCK IN SHARE MODE`);
  return row;
}

/** Raises the keys that are below the numbers of their documents. */
export function seedStatement({ name, table }: Pick<NumberRequest, 'name' | 'table'>, documents: Documents) {
  const numbers = mysqlTable(table).quoted;
  return `INSERT INTO ${numbers} (series, sequence_key, last_number)
SELECT ${bytesOf(name)}, d.sequence_key, max(d.number) FROM (${numberedRows(documents)}) d GROUP BY d.sequence_key HAVING max(d.number) > 0
ON DUPLICATE KEY UPDATE last_number = GREATEST(${numbers}.last_number, VALUES(last_number))`;
}

/** As on Postgres. */
export function unseededStatement(name: string, table: string | undefined, documents: Documents): string {
  const highest = `SELECT d.sequence_key, max(d.number) AS number FROM (${numberedRows(documents)}) d GROUP BY d.sequence_key`;
  const numbers =
    table === undefined
      ? ''
      : `LEFT JOIN ${mysqlTable(table).quoted} n ON n.series = ${bytesOf(name)} AND n.sequence_key = m.sequence_key`;
  const last = table === undefined ? '0' : 'COALESCE(n.last_number, 0)';
  return `SELECT CAST(count(*) AS CHAR) AS \`keys\`, CAST(COALESCE(max(m.number), 0) AS CHAR) AS highest
FROM (${highest}) m ${numbers} WHERE m.number > ${last}`;
}

/** `raiseWithin` on MySQL: `highest`. */
export async function raiseOnMysql(tx: TransactionPort, request: NumberRequest, last: number) {
  await proveOpen(tx, request);
  const { name, key, table } = request;
  const numbers = mysqlTable(table).quoted;
  const { mariadb, mysql } = limits(request.deadlineMs);
  await tx.run(`${mariadb}INSERT ${mysql}INTO ${numbers} (series, sequence_key, last_number) VALUES (${bytesOf(name)}, ${bytesOf(key)}, ${last})
ON DUPLICATE KEY UPDATE last_number = GREATEST(${numbers}.last_number, ${last})`);
  const [row] = await tx.run(
    `SELECT CAST(last_number AS CHAR) AS highest FROM ${numbers} WHERE series = ${bytesOf(name)} AND sequence_key = ${bytesOf(key)}`,
  );
  return row;
}
