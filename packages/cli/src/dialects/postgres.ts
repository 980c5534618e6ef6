import { IdError, isIdError } from '@ids/core';
import { quotedTable } from '@ids/store';
import { type Run, rowSecurityActive } from '@ids/store/postgres';
import { clockCheck } from '../checks/check.js';
import { databasePlatformCheck } from '../checks/platform-checks.js';
import { currentRole, readPostgresColumn } from '../columns/postgres-column.js';
import { FACTS } from '../platforms/sql-platforms.js';
import { DECIMAL, type Dialect, DRY_RUN, type Roles } from './dialect.js';
import { inOwnTransaction, type OwnConnection, WAIT_SECONDS } from './own-transaction.js';

const SERVER = `
SELECT current_setting('server_version') AS version, current_user AS role,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS now, pg_is_in_recovery() AS standby`;

const roles: Roles = {
  seesGuards: async () => true,
  hidesRows: (database, table) => {
    const run = async (...query: Parameters<Run>) => (await database.execute(...query)).rows;
    return rowSecurityActive(run, table);
  },
  isDenied: (error) => Object(causeOf(error)).code === '42501',
  denied: async (database, error, { what, right, table, instead = DRY_RUN }) => {
    const { role, schema, catalog } = await currentRole(database);
    const { message } = causeOf(error) as Error;
    const refusal = `role "${role}" may not ${what}: ${message}`;
    // No statement grants it: only the owner may, and who is a member of that role.
    if (right === 'ALTER')
      return new IdError('ERR_IDS_CONFIG', `${refusal}; let its owner run ${instead}`, { cause: error });
    const on = {
      'CREATE SCHEMA': `DATABASE "${catalog}"`,
      CREATE: `SCHEMA "${table.includes('.') ? table.split('.')[0] : schema}"`,
      SELECT: quotedTable(table).table,
      INSERT: quotedTable(table).table,
    };
    // createSequence also reads what it returns.
    const rights = right === 'INSERT' ? 'SELECT, INSERT' : right.replace(' SCHEMA', '');
    return new IdError(
      'ERR_IDS_CONFIG',
      `${refusal}. Grant the right with GRANT ${rights} ON ${on[right]} TO "${role}"; ` +
        `or let another role run ${instead}`,
      { cause: error },
    );
  },
};

export const postgres: Dialect = {
  serverChecks: async (database) => {
    // First: a platform that is only like Postgres may not know what the other statement asks for.
    const facts = await database.execute(FACTS, []);
    const platform = databasePlatformCheck(facts.rows[0] ?? {});
    if (platform.status === 'wrong') return [platform];
    const before = Date.now();
    const { rows } = await database.execute(SERVER, []);
    const after = Date.now();
    const { version, role, now, standby } = rows[0] ?? {};
    return [
      {
        what: 'database',
        status: standby === true ? 'wrong' : 'ok',
        detail: `Postgres ${version} as ${role}${standby === true ? ', a standby: connect to the primary' : ''}`,
      },
      platform,
      clockCheck('database', Number(now), before, after),
    ];
  },
  roles,
  describesGuards: true,
  createsSchemas: true,

  quoted: (table) => quotedTable(table).table,
  readColumn: readPostgresColumn,
  greatestDecimal: ({ table, column }) => `SELECT max(n)::text AS max
FROM (SELECT CASE WHEN ${column}::text ~ '${DECIMAL}' THEN ${column}::text::bigint END AS n FROM ${table}) AS numbers
WHERE n <= ${Number.MAX_SAFE_INTEGER}`,
  examples: ({ sql: { table, column } }, pattern, most) => ({
    text: `SELECT ${column}::text AS id FROM ${table} WHERE ${column}::text ~ $1
ORDER BY length(${column}::text) DESC, ${column}::text COLLATE "C" DESC LIMIT ${most}`,
    values: [pattern],
  }),
  digits: 'text',

  inTransaction: async (database, work) => {
    const begin = ['BEGIN ISOLATION LEVEL READ COMMITTED', `SET LOCAL lock_timeout = '${WAIT_SECONDS}s'`];
    return await inOwnTransaction(await connect(database), begin, work);
  },
  beforeAltering: [],
  gaveUp: (error) => Object(error).code === '55P03',
};

function causeOf(error: unknown): unknown {
  return isIdError(error) ? error.cause : error;
}

interface PoolOf<Lent> {
  connect(): Promise<Lent>;
}

async function connect(database: unknown): Promise<OwnConnection> {
  if (typeof database === 'string') {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database, application_name: 'ids' });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
  const pool = database as PoolOf<OwnConnection & { release(destroy: boolean): void }>;
  const client = await pool.connect();
  return Object.assign(client, { end: () => client.release(true) });
}
