import type { SqlExecutor } from '../executor.js';
import type { LackingRights } from '../schema.js';
import type { TableWording } from '../table-shape.js';
import { isDenied, isMissingColumn, isMissingTable } from './errors.js';
import { otherMysqlWriters, quotedGrantee, type WatchedTable } from './other-writers.js';
import type { MysqlExecutor } from './pool.js';
import { tableSql } from './table-sql.js';
import { mysqlTable, quotedAccount } from './text.js';

/** The columns of a table that a service reads and writes. */
export interface NeededColumns {
  readonly table: string;
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Those of a row that it adds; it adds none by default. */
  readonly inserted?: readonly string[];
  /** Whether it deletes rows; default false. */
  readonly deletes?: boolean;
}

/**
 * The least rights of a service's account, as SQL. The account is `name`, for any host, or `name@host`, and
 * exists already.
 */
export function mysqlGrantsOn(role: string, needed: NeededColumns): string {
  return `${grantOn(needed, quotedAccount(role))};\n`;
}

function grantOn(needed: NeededColumns, account: string): string {
  const { table, read, written, inserted = [], deletes = false } = needed;
  const { quoted } = mysqlTable(table);
  const rights = { SELECT: read, INSERT: inserted, UPDATE: written };
  const granted = Object.entries(rights).filter(([, columns]) => columns.length > 0);
  const list = granted.map(([right, columns]) => `${right} (${columns.join(', ')})`);
  if (deletes) list.push('DELETE');
  return `GRANT ${list.join(', ')} ON ${quoted} TO ${account}`;
}

/** A table with the rights that a service may hold in it, for `rightsLackedByTrying`. */
export function watched({ table, written, inserted, deletes }: NeededColumns): WatchedTable {
  const { quoted, isThis } = mysqlTable(table);
  return { name: table, quoted, where: isThis, written, inserted, deletes };
}

/** The grant log of a table: triggers write it, so that no service needs a right. */
export function watchedLog(table: string, deletes = false): WatchedTable {
  const { log, isLog } = mysqlTable(table);
  return { name: `${table}_log`, quoted: log, where: isLog, deletes };
}

/**
 * The rights that the account of `executor` lacks, found by trying: statements that name the columns and
 * concern no row. None if there is no such table. Also who else may write `tables`.
 */
export async function rightsLackedByTrying(
  executor: SqlExecutor,
  needed: NeededColumns,
  wording: TableWording,
  tables: readonly WatchedTable[] = [],
): Promise<LackingRights> {
  const { table, read, written, inserted = [] } = needed;
  const names = mysqlTable(table);
  const { quoted } = names;
  const { rows: run } = tableSql(executor as MysqlExecutor, table, wording);
  const denied = async (text: string): Promise<boolean> => {
    try {
      await run(text);
      return false;
    } catch (error) {
      if (isDenied(error)) return true;
      // A table of an older version lacks columns.
      if (isMissingTable(error) || isMissingColumn(error)) return false;
      throw error;
    }
  };
  const lacked = async (right: string, columns: readonly string[], text: (column: string) => string) => {
    const missing: string[] = [];
    for (const column of columns) if (await denied(text(column))) missing.push(column);
    return missing.length === 0 ? [] : [`${right} (${missing.join(', ')})`];
  };
  const role = String((await run('SELECT CURRENT_USER() AS role'))[0]?.role);
  return {
    role,
    needed: [
      ...(await lacked('SELECT', read, (column) => `SELECT ${column} FROM ${quoted} WHERE FALSE`)),
      ...(await lacked('UPDATE', written, (column) => `UPDATE ${quoted} SET ${column} = NULL WHERE FALSE`)),
      // All at once: a row without some of them may be refused for that.
      ...(inserted.length > 0 && (await denied(insertOf(quoted, inserted)))
        ? [`INSERT (${inserted.join(', ')})`]
        : []),
    ],
    forGuard: [],
    grants: `${grantOn(needed, quotedGrantee(role))};`,
    ...(tables.length > 0 && (await otherMysqlWriters(run, quotedGrantee(role), names, tables))),
  };
}

/** Adds no row. */
function insertOf(quoted: string, columns: readonly string[]): string {
  const nothing = columns.map(() => 'NULL').join(', ');
  return `INSERT INTO ${quoted} (${columns.join(', ')}) SELECT ${nothing} FROM (SELECT 1) one WHERE FALSE`;
}
