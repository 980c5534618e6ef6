import type { StoreRights, StoreWriters } from '@ids/core';
import type { Row } from '../executor.js';
import type { MysqlTable } from './text.js';

/** A table, and what the account of any service may do in it, as its grants say. */
export interface WatchedTable {
  readonly name: string;
  /** Quoted, with its database if it has one. */
  readonly quoted: string;
  /** A condition on TABLE_SCHEMA and TABLE_NAME of information_schema. */
  readonly where: string;
  readonly written?: readonly string[] | undefined;
  readonly inserted?: readonly string[] | undefined;
  readonly deletes?: boolean | undefined;
}

/** With these, somebody can raise, lower or remove a row: TRUNCATE needs DROP. */
const WRITING = ['INSERT', 'UPDATE', 'DELETE', 'DROP', 'ALTER', 'TRIGGER'];

/** Whoever has one of these can become any other account, so nothing keeps it from writing. */
const ADMINISTERS = ['SUPER', 'CREATE USER'];

/**
 * Who may write tables besides their services, by what was granted to accounts, roles and PUBLIC. Not among
 * them: who holds no more than a service needs, the account that asks, administrators of the server, and who
 * created the triggers of `guarded`, which is as good as an owner here. An account that may not read the
 * rights of others sees its own only: then `hidesWriters` is true.
 */
export async function otherMysqlWriters(
  run: (text: string) => Promise<readonly Row[]>,
  account: string,
  guarded: MysqlTable,
  tables: readonly WatchedTable[],
): Promise<Pick<StoreRights, 'writers' | 'hidesWriters'>> {
  const everywhere = await run(
    'SELECT GRANTEE AS who, PRIVILEGE_TYPE AS what FROM information_schema.USER_PRIVILEGES',
  );
  const creators = await run(
    `SELECT DISTINCT DEFINER AS who FROM information_schema.TRIGGERS WHERE ${guarded.isOfThis}`,
  );
  const trusted = new Set([
    account,
    ...creators.map(({ who }) => quotedGrantee(String(who))),
    ...everywhere.filter(({ what }) => ADMINISTERS.includes(String(what))).map(({ who }) => String(who)),
  ]);
  const inDatabase = await run(
    `SELECT GRANTEE AS who, PRIVILEGE_TYPE AS what, TABLE_SCHEMA AS held_on FROM information_schema.SCHEMA_PRIVILEGES
WHERE ${guarded.schema} LIKE TABLE_SCHEMA ESCAPE X'5C'`,
  );
  const writers: StoreWriters[] = [];
  for (const table of tables) {
    const writes = ({ who, what, name }: Row) => !trusted.has(String(who)) && exceeds(table, what, name);
    const own = await run(`SELECT GRANTEE AS who, PRIVILEGE_TYPE AS what, NULL AS name
FROM information_schema.TABLE_PRIVILEGES WHERE ${table.where}
UNION ALL SELECT GRANTEE, PRIVILEGE_TYPE, COLUMN_NAME FROM information_schema.COLUMN_PRIVILEGES WHERE ${table.where}`);
    const wider = [...inDatabase, ...everywhere.map((row) => ({ ...row, held_on: '*' }))].filter(writes);
    const roles = rolesOf(own.filter(writes));
    if (roles.length > 0) {
      const revoke = `REVOKE ${WRITING.join(', ')} ON ${table.quoted} FROM ${roles.join(', ')};`;
      writers.push({ table: table.name, roles, revoke });
    }
    for (const on of new Set(wider.map(({ held_on: held }) => String(held)))) {
      const theirs = rolesOf(wider.filter(({ held_on: held }) => held === on));
      writers.push({ table: table.name, roles: theirs, on: `${on}.*` });
    }
  }
  return { writers, hidesWriters: everywhere.every(({ who }) => who === account) };
}

/** Whether a right, of all columns without a name, lets somebody write more than a service needs. */
function exceeds(
  { written = [], inserted = [], deletes = false }: WatchedTable,
  right: unknown,
  name: unknown,
) {
  if (!WRITING.includes(String(right))) return false;
  if (right === 'DELETE') return !deletes;
  const columns = right === 'UPDATE' ? written : right === 'INSERT' ? inserted : [];
  return !columns.includes(String(name));
}

/** As they are named in a statement. A role of MariaDB has no host, and PUBLIC is everybody. */
function rolesOf(rows: readonly Row[]): string[] {
  const names = rows.map(({ who }) => String(who).replace(/@''$/, ''));
  return [...new Set(names.map((name) => (name === "'PUBLIC'" ? 'PUBLIC' : name)))].sort();
}

/** An account as information_schema names it, and as statements do: `'name'@'host'`. */
export function quotedGrantee(account: string): string {
  const at = account.lastIndexOf('@');
  const quote = (part: string): string => `'${part.replaceAll("'", "''")}'`;
  return `${quote(account.slice(0, at))}@${quote(account.slice(at + 1))}`;
}
