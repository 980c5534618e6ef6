import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { isDenied, mysqlTable, withoutTls } from '@ids/store/mysql';
import { clockCheck } from '../checks/check.js';
import { databasePlatformCheck } from '../checks/platform-checks.js';
import { readMysqlColumn } from '../columns/mysql-column.js';
import { DECIMAL, type Dialect, DRY_RUN, type Roles } from './dialect.js';
import { inOwnTransaction, type OwnConnection, WAIT_SECONDS } from './own-transaction.js';

const roles: Roles = {
  // An account without the right TRIGGER sees no triggers, and no log into which they write.
  seesGuards: async (database) => {
    const { rows } = await database.execute('SHOW GRANTS', []);
    const grants = rows.flatMap((row) => Object.values(row).map(String));
    return grants.some((grant) => /^GRANT .*\b(?:TRIGGER|ALL PRIVILEGES)\b.* ON /i.test(grant));
  },
  hidesRows: async () => false,
  isDenied,
  // The message of the server names the right.
  denied: async (database, error, { what, instead = DRY_RUN }) => {
    const { role } = await serverOf(database);
    return new IdError(
      'ERR_IDS_CONFIG',
      `account "${role}" may not ${what}: ${(error as Error).message}; let another account run ${instead}`,
      { cause: error },
    );
  },
};

/** MySQL and MariaDB. */
export const mysql: Dialect = {
  serverChecks: async (database) => {
    const before = Date.now();
    const { product, role, now, readOnly } = await serverOf(database);
    const detail = `${product} as ${role}${readOnly ? ', read-only: connect to the primary' : ''}`;
    return [
      { what: 'database', status: readOnly ? 'wrong' : 'ok', detail },
      databasePlatformCheck({ 'version()': product }),
      clockCheck('database', now, before, Date.now()),
    ];
  },
  roles,
  describesGuards: false,
  // A schema is a database there, with rights of its own.
  createsSchemas: false,

  quoted: (table) => mysqlTable(table).quoted,
  readColumn: readMysqlColumn,
  greatestDecimal: ({ table, column }) => `SELECT CAST(MAX(CAST(t AS unsigned)) AS char) AS max
FROM (SELECT CAST(${column} AS char) AS t FROM ${table}) AS texts
WHERE t REGEXP '${DECIMAL}' AND CAST(t AS unsigned) <= ${Number.MAX_SAFE_INTEGER}`,
  examples: ({ sql: { table, column } }, pattern, most) => {
    // As hex: what a backslash means depends on a setting. Its own collation would be no better than that of
    // the column, and the server refuses to choose.
    const hex = `CONVERT(0x${Buffer.from(pattern).toString('hex')} USING utf8mb4) COLLATE utf8mb4_general_ci`;
    return {
      text: `SELECT CAST(${column} AS char) AS id FROM ${table} WHERE CAST(${column} AS char) REGEXP ${hex}
ORDER BY CHAR_LENGTH(${column}) DESC, CAST(${column} AS binary) DESC LIMIT ${most}`,
      values: [],
    };
  },
  digits: 'char',

  inTransaction: async (database, work) => {
    const begin = [
      'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
      `SET SESSION innodb_lock_wait_timeout = ${WAIT_SECONDS}`,
      'START TRANSACTION',
    ];
    return await inOwnTransaction(await connect(database), begin, work);
  },
  beforeAltering: [`SET SESSION lock_wait_timeout = ${WAIT_SECONDS}`],
  gaveUp: (error) => Object(error).code === 'ER_LOCK_WAIT_TIMEOUT',
};

/** Product and version, the account, the clock in milliseconds since 1970, and whether it is read-only. */
async function serverOf(
  database: SqlExecutor,
): Promise<{ product: string; role: string; now: number; readOnly: boolean }> {
  const text = `SELECT VERSION() AS version, CURRENT_USER() AS role, @@GLOBAL.read_only AS read_only,
  CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS char) AS now`;
  const [row] = (await database.execute(text, [])).rows;
  const { version, role, now, read_only: readOnly } = row ?? {};
  const product = /mariadb/i.test(String(version)) ? 'MariaDB' : 'MySQL';
  return {
    product: `${product} ${version}`,
    role: String(role),
    now: Number(now),
    readOnly: Number(readOnly) !== 0,
  };
}

interface PoolOf<Lent> {
  getConnection(): Promise<Lent>;
  promise?(): PoolOf<Lent>;
}

async function connect(database: unknown): Promise<OwnConnection> {
  if (typeof database === 'string') {
    const { default: driver } = await import('mysql2/promise');
    const { uri, ssl } = withoutTls(database.replace(/^mariadb:/, 'mysql:'));
    const connectAttributes = { program_name: 'ids' };
    const connection = await driver.createConnection({ uri, ...(ssl && { ssl }), connectAttributes });
    return Object.assign(connection, { end: () => connection.destroy() });
  }
  const pool = database as PoolOf<OwnConnection & { destroy(): void }>;
  const connection = await (pool.promise?.() ?? pool).getConnection();
  return Object.assign(connection, { end: () => connection.destroy() });
}
