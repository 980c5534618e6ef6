import { randomBytes } from 'node:crypto';
import { bytesOf, changeFrom, mysqlTable, SERVER_HERE, tableHere } from '@ids/store/mysql';
import { seriesTableOf } from '../table/names.js';
import type { NumberRequest } from '../table/request.js';

/*
 * Every SQL text of daily use. MariaDB and MySQL get the same texts. Each reads the comments that are
 * for it.
 *
 * MariaDB says in a variable whether a transaction is open, so the statement that takes a number asks for it.
 * MySQL has no such variable. There, a savepoint that was just made is gone if it was made outside of one.
 */

/** With autocommit off, a transaction begins with the first statement, so it is as good as open. */
const OPEN = '(@@in_transaction OR NOT @@autocommit)';

/** `open` of `proofStatement` on a server that cannot say it. */
export const UNKNOWN = '2';

/**
 * What decides whether a number can be taken: `open`, 0 or 1, or `UNKNOWN`; and `change`, what happened to
 * the database since its reign was accepted, if the request is to be refused then. Only
 * in that case it reads a table, and so fixes the snapshot of a transaction that repeats its reads.
 */
export function proofStatement({ name, table, refuses }: NumberRequest): string {
  const compares = refuses.failover || refuses.restore;
  const numbers = mysqlTable(table);
  const change = compares
    ? `(SELECT ${changeFrom(SERVER_HERE, tableHere(numbers))} FROM ${mysqlTable(seriesTableOf(table)).quoted} WHERE series = ${bytesOf(name)})`
    : 'NULL';
  return `SELECT CAST(/*M!100000 ${OPEN} */ /*!80000 ${UNKNOWN} */ AS CHAR) AS open, ${change} AS \`change\``;
}

export const SAVEPOINT = 'SAVEPOINT ids_number';
export const RELEASE = 'RELEASE SAVEPOINT ids_number';

/** What a wait ends with at its limit. */
export const AT_THE_DEADLINE = ['1205', '1969'];

/** MariaDB limits any wait; the other limit is longer, since the server may roll back all at that one. */
export function limits(deadlineMs: number): { readonly mariadb: string; readonly mysql: string } {
  const seconds = Math.ceil(deadlineMs / 1_000);
  return {
    mariadb: `/*M!100500 SET STATEMENT max_statement_time = ${deadlineMs / 1_000}, innodb_lock_wait_timeout = ${seconds + 1} FOR */ `,
    mysql: `/*+ SET_VAR(innodb_lock_wait_timeout = ${seconds}) */ `,
  };
}

function isKey({ name, key }: NumberRequest): string {
  return `series = ${bytesOf(name)} AND sequence_key = ${bytesOf(key)}`;
}

/**
 * Where a statement leaves what it took: in a variable of the session, with a tag. So two calls on one
 * connection whose statements mix, because they came through two objects, still get their own numbers.
 */
export interface Mark {
  readonly variable: string;
  readonly tag: string;
}

/** As many calls may mix on one connection before two use one variable. A tag is never used twice. */
const VARIABLES = 16;

const PROCESS = randomBytes(6).toString('hex');

let marks = 0;

export function newMark(): Mark {
  marks++;
  return { variable: `@ids_number_${marks % VARIABLES}`, tag: `${PROCESS}-${marks}` };
}

/**
 * Zero, after `number` was left in the variable. Not by `IS NULL`: unless `sql_mode` is strict, MariaDB knows
 * that a text of constants is never null, and assigns nothing.
 */
function leaves({ variable, tag }: Mark, number: string): string {
  return `LENGTH(${variable} := CONCAT('${tag} ', ${number})) * 0`;
}

/**
 * Takes numbers of a key that has a row. It locks that row and nothing else. Without a row, it would lock the
 * keys beside it, and two such transactions that go on to make one would wait for each other. `alone`:
 * nothing has proved that a transaction is open, so it takes a number only where it can say so itself.
 *
 * Twice: numbers twice, in one transaction, which uses them or gives all of them back. After the loss of its
 * answer: the transaction ends with its connection. On a former primary that still answers: there only, and
 * lost with the row that carries the number.
 */
export function raiseStatement(request: NumberRequest, mark: Mark, alone: boolean): string {
  const { mariadb, mysql } = limits(request.deadlineMs);
  const next = `last_number + ${request.count}`;
  return `${mariadb}UPDATE ${mysql}${mysqlTable(request.table).quoted} SET last_number = ${next} + ${leaves(mark, next)}
WHERE ${isKey(request)} /*M!100000 AND ${OPEN} */${alone ? ' /*!80000 AND FALSE */' : ''}`;
}

/** What the statement with this mark has taken, as its tag, a space and the last number: `taken`. */
export function lastStatement({ variable }: Mark): string {
  return `SELECT CAST(${variable} AS CHAR) AS taken`;
}

/**
 * The same as `raiseStatement` for a key that may have no row. If it has one, this also locks out new keys
 * beside it until the end of the transaction, unless that reads what is committed.
 */
export function bearStatement({ name, key, count, table, deadlineMs }: NumberRequest, mark: Mark): string {
  const { quoted } = mysqlTable(table);
  const { mariadb, mysql } = limits(deadlineMs);
  const next = `${quoted}.last_number + ${count}`;
  return `${mariadb}INSERT ${mysql}INTO ${quoted} (series, sequence_key, last_number)
SELECT ${bytesOf(name)}, ${bytesOf(key)}, ${count} + ${leaves(mark, String(count))} FROM (SELECT 1) one WHERE /*M!100000 ${OPEN} */ /*!80000 TRUE */
ON DUPLICATE KEY UPDATE last_number = ${next} + ${leaves(mark, next)}`;
}

/**
 * Transactions that have written something and wait for nothing. No table says which of them has locked a
 * row, once nobody waits for it. `program` needs a right of its own.
 */
export function writersStatement(program: boolean): string {
  const [column, join] = program
    ? [
        'a.ATTR_VALUE',
        `LEFT JOIN performance_schema.session_connect_attrs a ON a.PROCESSLIST_ID = t.trx_mysql_thread_id AND a.ATTR_NAME = 'program_name'`,
      ]
    : ['NULL', ''];
  return `SELECT CAST(t.trx_mysql_thread_id AS CHAR) AS pid, ${column} AS application, p.USER AS account, p.HOST AS address,
  p.COMMAND AS state, CAST(UNIX_TIMESTAMP(t.trx_started) AS CHAR) AS since
FROM information_schema.INNODB_TRX t LEFT JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id ${join}
WHERE t.trx_state = 'RUNNING' AND t.trx_rows_modified > 0 AND t.trx_mysql_thread_id <> CONNECTION_ID()
ORDER BY t.trx_started LIMIT 5`;
}
