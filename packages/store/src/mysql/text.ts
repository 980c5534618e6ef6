import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isTableName, TABLE_NAME_RULE } from '../table-name.js';

/*
 * How values and names become part of SQL for MySQL. Statements carry their values themselves: a prepared
 * statement would take a round trip more on each new connection, and every pool would have to be told the
 * same about it. Strings travel as hexadecimal digits, so neither `sql_mode` nor the character set of the
 * connection can change what they mean.
 */

/**
 * The bytes of a text in UTF-8. Sequence names are stored as bytes: no collation can make two of them equal.
 */
export function bytesOf(text: string): string {
  return `X'${Buffer.from(text, 'utf8').toString('hex')}'`;
}

/** A text, whatever the character set of the connection. */
export function textOf(text: string): string {
  return `CONVERT(${bytesOf(text)} USING utf8mb4)`;
}

/** A whole number, or NULL. Throws a `RangeError` for anything else, since it becomes part of the SQL. */
export function numberOf(value: number | null): string {
  if (value === null) return 'NULL';
  if (Number.isSafeInteger(value)) return String(value);
  throw new RangeError(`must be a whole number, got ${String(value)}`);
}

/** MySQL allows 64 characters; the longest suffix of a trigger has 8. */
const LONGEST_TABLE = 56;

/** The names of a table and of what belongs to it, for SQL. */
export interface MysqlTable {
  /** As in the option: `table` or `database.table`. */
  readonly name: string;
  /** Undefined if the default database of the connection decides. */
  readonly database: string | undefined;
  /** Quoted, with the database if there is one. */
  readonly quoted: string;
  /** The grant log, quoted likewise. */
  readonly log: string;
  /** The name of its database, as an expression. */
  readonly schema: string;
  /** A condition on the columns TABLE_SCHEMA and TABLE_NAME of information_schema for this table. */
  readonly isThis: string;
  /** The same for the grant log. */
  readonly isLog: string;
  /** The same for triggers, on EVENT_OBJECT_SCHEMA and EVENT_OBJECT_TABLE. */
  readonly isOfThis: string;
  /** A trigger of the table, with its database: `trigger('delete')`. */
  trigger(suffix: TriggerSuffix): string;
  /** The name of a trigger or a constraint: the table, an underscore and the suffix. */
  own(suffix: string): string;
}

/** What the triggers of a table are for: `born` and `log_new` are `granted` and `log` for new rows. */
export type TriggerSuffix =
  | 'insert'
  | 'update'
  | 'delete'
  | 'granted'
  | 'born'
  | 'log'
  | 'log_new'
  | 'logged';

/**
 * The names for a table. The part before the dot is a database. Throws `ERR_IDS_CONFIG` unless the name is a
 * plain identifier, or two of them with a dot between, short enough for the names of triggers.
 */
export function mysqlTable(name: string): MysqlTable {
  if (!isTableName(name)) {
    throw new IdError('ERR_IDS_CONFIG', `table must be ${TABLE_NAME_RULE}, got ${formatValue(name)}`);
  }
  const [table = '', database] = name.split('.').reverse();
  if (table.length > LONGEST_TABLE) {
    const rule = `at most ${LONGEST_TABLE} characters on MySQL, because triggers are named after it`;
    throw new IdError('ERR_IDS_CONFIG', `table must have ${rule}, got ${formatValue(table)}`);
  }
  return namesOf(name, table, database);
}

/**
 * The same table where it was found. From then on, it does not matter which database somebody makes the
 * default one of a connection of the pool: a table of the same name there has other sequences.
 */
export function inDatabase({ name }: MysqlTable, database: string): MysqlTable {
  return namesOf(name, name.split('.').at(-1) ?? '', database);
}

function namesOf(name: string, table: string, database: string | undefined): MysqlTable {
  const prefix = database === undefined ? '' : `\`${database.replaceAll('`', '``')}\`.`;
  // A literal: for a function, MariaDB looks through all databases.
  const schema = database === undefined ? 'DATABASE()' : `_utf8mb4 ${bytesOf(database)}`;
  return {
    name,
    database,
    quoted: `${prefix}\`${table}\``,
    log: `${prefix}\`${table}_log\``,
    schema,
    isThis: `TABLE_SCHEMA = ${schema} AND TABLE_NAME = '${table}'`,
    isLog: `TABLE_SCHEMA = ${schema} AND TABLE_NAME = '${table}_log'`,
    isOfThis: `EVENT_OBJECT_SCHEMA = ${schema} AND EVENT_OBJECT_TABLE = '${table}'`,
    trigger: (suffix) => `${prefix}\`${table}_${suffix}\``,
    own: (suffix) => `\`${table}_${suffix}\``,
  };
}

/** An account for GRANT: `name`, or `name@host`. Throws `ERR_IDS_CONFIG` for what would need escapes. */
export function quotedAccount(account: string): string {
  const [name, host = '%', ...rest] = String(account).split('@');
  const plain = /^[\w$.:%-]{1,80}$/;
  if (
    typeof account === 'string' &&
    rest.length === 0 &&
    [name, host].every((part) => plain.test(part ?? ''))
  ) {
    return `'${name}'@'${host}'`;
  }
  const rule = 'a name, or a name and a host with an @ between, of letters, digits and _ $ . : % -';
  throw new IdError('ERR_IDS_CONFIG', `role must be ${rule}, got ${formatValue(account)}`);
}
