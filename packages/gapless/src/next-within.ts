import { randomBytes } from 'node:crypto';
import { formatValue } from '@ids/core/strategy';
import { readWholeNumber } from '@ids/store';
import { takeOnMysql } from './mysql/take.js';
import { requestOf, type Series, type TakeOptions } from './number-options.js';
import { takeOnPostgres } from './postgres/take.js';
import { takeNow, takeOnSqlite } from './sqlite/take.js';
import type { NumberRequest } from './table/request.js';
import type { TransactionPort } from './transaction/port.js';
import { recogniseTransaction } from './transaction/recognise.js';
import { inTurn } from './transaction/turns.js';

/** Only this process sets it, so what it finds in a transaction is its own. */
const PROOF = randomBytes(12).toString('hex');

/**
 * Takes the next number of a key in the transaction `tx` of the caller: its commit uses the number, its
 * rollback gives it back. Until then, calls for the same key wait. Numbers are whole, from 1 to 2^53 - 1.
 *
 * `tx` is an open transaction of a library that `docs/numbers.md` lists. Throws a `TypeError` for anything
 * else. Rejects with `ERR_IDS_CONFIG` if no transaction is open, if it may not write, or if there is no such
 * series; with `ERR_IDS_TIMEOUT`, which names the holder, at the deadline; with `ERR_IDS_UNAVAILABLE` if the
 * transaction is aborted. After a collision with another transaction (SQLSTATE 40001, 40P01; MySQL 1213,
 * 1020), it rejects with the error of the driver: then run the whole transaction again.
 */
export async function nextWithin(
  tx: unknown,
  series: string | Series,
  key = '',
  options: TakeOptions = {},
): Promise<number> {
  const request = requestOf(series, key, 1, options);
  return await take(tx, request);
}

/**
 * Takes `count` consecutive numbers, 1 to 1,000,000, and resolves with the first of them. Otherwise like
 * `nextWithin`.
 */
export async function nextBatchWithin(
  tx: unknown,
  series: string | Series,
  key: string,
  count: number,
  options: TakeOptions = {},
): Promise<number> {
  if (!Number.isInteger(count) || count < 1 || count > MOST_AT_ONCE) {
    throw new RangeError(`count must be a whole number from 1 to ${MOST_AT_ONCE}, got ${formatValue(count)}`);
  }
  return (await take(tx, requestOf(series, key, count, options))) - count + 1;
}

const MOST_AT_ONCE = 1_000_000;

const TAKERS = { postgres: takeOnPostgres, mysql: takeOnMysql, sqlite: takeOnSqlite };

/**
 * `nextWithin` for transactions that cannot wait for a promise, as those of `better-sqlite3` and of Drizzle
 * over it: takes the number and returns it. `tx` is a `Database` of `better-sqlite3` or `libsql`, a
 * `DatabaseSync` of `node:sqlite`, or a transaction of Drizzle over one of them. Throws what `nextWithin`
 * rejects with. While it waits for another process, up to `deadlineMs`, the whole process does.
 */
export function nextWithinSync(
  tx: unknown,
  series: string | Series,
  key = '',
  options: TakeOptions = {},
): number {
  const request = requestOf(series, key, 1, options);
  return readWholeNumber(takeNow(recogniseTransaction(tx), request), 'last_number');
}

/** The last of the numbers of `request`. Rejects with the reason of `signal` if it aborts before its turn. */
export async function take(tx: unknown, request: NumberRequest, signal?: AbortSignal): Promise<number> {
  const port = recogniseTransaction(tx);
  const last = await inTurn(tx as object, async () => {
    // It has run nothing, so those that wait behind it go on.
    return signal?.aborted ? undefined : await takeNext(port, request, tx as object);
  });
  if (last === undefined) throw signal?.reason;
  return last;
}

/** The same of a transaction whose turn it is. `owner`: what the caller passed. */
export async function takeNext(
  port: TransactionPort,
  request: NumberRequest,
  owner: object,
): Promise<number> {
  return readWholeNumber(await TAKERS[port.dialect](port, request, PROOF, owner), 'last_number');
}
