import { isIdError } from '@ids/core';
import type { LackingRights, SchemaOptions } from '../store/dialect.js';
import type { SqlExecutor } from '../store/executor.js';
import { DEFAULT_TABLE } from '../store/table-name.js';
import { isDenied, isMissingTable, mysqlError } from './errors.js';
import { mysqlTable, quotedAccount } from './text.js';

/** What a service reads, and what a reservation writes. */
const READ = [
  'server_name',
  'max_id',
  'realm',
  'group_by',
  'time_zone',
  'reign_server',
  'reign_table',
  'reigns',
  'grants',
];

const WRITTEN = [
  'max_id',
  'reserved_to',
  'granted',
  'grants',
  'grant_id',
  'owner',
  'reign_server',
  'reign_table',
  'reigns',
];

/**
 * The least rights of a service's account, as SQL. The log needs none: triggers write it. The account is
 * `name`, for any host, or `name@host`, and exists already.
 */
export function mysqlGrants(role: string, { table = DEFAULT_TABLE }: SchemaOptions = {}): string {
  return `${grantOn(mysqlTable(table).quoted, quotedAccount(role))};\n`;
}

function grantOn(quoted: string, account: string): string {
  return `GRANT SELECT (${READ.join(', ')}), UPDATE (${WRITTEN.join(', ')}) ON ${quoted} TO ${account}`;
}

/**
 * The rights that the account of `executor` lacks, found by trying: statements that name the columns and
 * concern no row. None if there is no such table.
 */
export async function lackingMysqlRights(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE }: SchemaOptions = {},
): Promise<LackingRights> {
  const { quoted } = mysqlTable(table);
  const denied = async (text: string): Promise<boolean> => {
    try {
      await executor.execute(text, []);
      return false;
    } catch (error) {
      if (isDenied(isIdError(error) ? error.cause : error)) return true;
      if (isMissingTable(error)) return false;
      throw mysqlError(error, table);
    }
  };
  const lacked = async (right: string, columns: readonly string[], text: (column: string) => string) => {
    const missing: string[] = [];
    for (const column of columns) if (await denied(text(column))) missing.push(column);
    return missing.length === 0 ? [] : [`${right} (${missing.join(', ')})`];
  };
  const role = await accountOf(executor, table);
  return {
    role,
    needed: [
      ...(await lacked('SELECT', READ, (column) => `SELECT ${column} FROM ${quoted} WHERE FALSE`)),
      ...(await lacked('UPDATE', WRITTEN, (column) => `UPDATE ${quoted} SET ${column} = NULL WHERE FALSE`)),
    ],
    forGuard: [],
    grants: `${grantOn(quoted, asAccount(role))};`,
  };
}

async function accountOf(executor: SqlExecutor, table: string): Promise<string> {
  try {
    return String((await executor.execute('SELECT CURRENT_USER() AS role', [])).rows[0]?.role);
  } catch (error) {
    throw mysqlError(error, table);
  }
}

/** For an account as the server names it, whatever its characters. */
function asAccount(role: string): string {
  const at = role.lastIndexOf('@');
  const quote = (part: string): string => `'${part.replaceAll("'", "''")}'`;
  return `${quote(role.slice(0, at))}@${quote(role.slice(at + 1))}`;
}
