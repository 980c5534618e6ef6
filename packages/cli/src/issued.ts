import { quotedTable, type SqlExecutor } from '@ids/segment/sql';
import { logTableOf } from '@ids/segment/table';
import { columnIds } from './column-ids.js';
import type { NeededSequence, NeededTable } from './generators.js';
import { isMissingTableOfMysql, isMysql } from './mysql-queries.js';
import { redisMark } from './redis.js';

/** Something other than the sequence itself that knows of its ids. */
export interface Issued {
  readonly where: string;
  /** The greatest id in it; 0 for none. */
  readonly upTo: bigint;
}

export interface IssuedIds {
  readonly issued: readonly Issued[];
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

/**
 * How far ids of a sequence were issued, by all that remembers it: the columns of its generators, the grant
 * log, and the hashes in Redis. A table that lost its last reservations stands below one of them. Changes
 * nothing. Processes that still run may hold greater ids.
 */
export async function issuedIds(
  database: SqlExecutor,
  needed: NeededTable,
  { name, columns, hashes }: NeededSequence,
): Promise<IssuedIds> {
  const log = logTableOf(needed.table);
  const sources: [where: string, read: () => Promise<bigint>][] = [
    ...columns.map((column): [string, () => Promise<bigint>] => [
      column.name,
      async () => (await columnIds(database, needed.database, column)).greatest,
    ]),
    [`the grant log ${log}`, () => endOfLog(database, log, name)],
    ...hashes.map((hash): [string, () => Promise<bigint>] => [
      `the mark of ${hash.key} in Redis`,
      () => redisMark(hash),
    ]),
  ];
  const read = await Promise.allSettled(sources.map(([, look]) => look()));
  const issued: Issued[] = [];
  const unread: string[] = [];
  for (const [index, result] of read.entries()) {
    const where = sources[index]?.[0] ?? '';
    if (result.status === 'fulfilled') issued.push({ where, upTo: result.value });
    else unread.push(`${where}: ${Object(result.reason).message}`);
  }
  return { issued, unread };
}

/** The one that knows of the greatest id above `maxId`; undefined if none is above. */
export function aboveOf({ issued }: IssuedIds, maxId: number | bigint): Issued | undefined {
  const above = issued.filter(({ upTo }) => upTo > BigInt(maxId));
  return above.toSorted((a, b) => (a.upTo < b.upTo ? 1 : -1))[0];
}

/** Which ids come again if a sequence goes on after `maxId`. */
export function repeatsText({ where, upTo }: Issued, maxId: number | bigint): string {
  return `${where} holds ${upTo}, so ids from ${BigInt(maxId) + 1n} to ${upTo} may be issued again`;
}

/** The greatest id in the grant log; 0 without a log. */
async function endOfLog(database: SqlExecutor, log: string, name: string): Promise<bigint> {
  const mysql = isMysql(database);
  const table = mysql
    ? log
        .split('.')
        .map((part) => `\`${part}\``)
        .join('.')
    : quotedTable(log).table;
  const key = mysql ? `X'${Buffer.from(name).toString('hex')}'` : '$1';
  const text = `SELECT CAST(max(high) AS char(20)) AS high FROM ${table} WHERE server_name = ${key}`;
  try {
    const [row] = (await database.execute(text, mysql ? [] : [name])).rows;
    return BigInt(String(row?.high ?? 0).trim());
  } catch (error) {
    const missing = mysql ? isMissingTableOfMysql(error) : Object(error).code === '42P01';
    if (missing) return 0n;
    throw error;
  }
}
