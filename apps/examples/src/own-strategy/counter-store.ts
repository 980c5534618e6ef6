import { IdError, type StrategyStore } from '@ids/core';
import { quotedRole, quotedTable, type SqlExecutor, WrongTableError } from '@ids/store';
import { runOn } from '@ids/store/postgres';

/** Where the counter is. No character of `name` needs an escape in SQL. */
export interface CounterPlace {
  readonly database: string;
  readonly table: string;
  readonly name: string;
}

/** Ids are JavaScript numbers. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Runs statements on the table; their errors say what to do about it. */
export function runOnCounters(executor: SqlExecutor, table: string) {
  const wording = { what: 'counter table', create: 'ids apply', grants: 'ids apply', column: 'last' };
  const run = runOn(executor, table, wording);
  return async (text: string, ...values: unknown[]) => (await run(text, values)).rows;
}

/** The table of counters, for the command `ids`. */
export function counterStore({ database, table, name }: CounterPlace): StrategyStore<SqlExecutor> {
  const quoted = quotedTable(table).table;
  const on = (executor: SqlExecutor) => runOnCounters(executor, table);
  const read = async (executor: SqlExecutor): Promise<bigint | undefined> => {
    const [row] = await on(executor)(`SELECT last FROM ${quoted} WHERE name = $1`, name);
    return row && BigInt(String(row.last));
  };
  const ddl = `CREATE TABLE IF NOT EXISTS ${quoted} (name text PRIMARY KEY, last bigint NOT NULL);\n`;
  const insert = (startAfter = 0n) =>
    `INSERT INTO ${quoted} (name, last) VALUES ('${name}', ${startAfter}) ON CONFLICT (name) DO NOTHING`;
  return {
    database,
    table,
    rows: 'counters',
    name,
    entry: `counter ${name}`,
    parts: ['table'],
    schema: () => ddl,
    async missing(executor) {
      const columns = `SELECT attname::text AS name FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY 1`;
      const found = (await on(executor)(columns, quoted)).map((column) => column.name).join(', ');
      if (found === '') return ['table'];
      if (found !== 'last, name') throw new WrongTableError(`table ${table}`, `it has the columns ${found}`);
      return [];
    },
    async ensure(executor) {
      if ((await this.missing(executor)).length > 0) await on(executor)(ddl);
    },
    grants: (role) => `GRANT SELECT, UPDATE ON ${quoted} TO ${quotedRole(role)};\n`,
    async lackingRights(executor) {
      const lacked = `SELECT current_user AS role, ARRAY(SELECT need FROM unnest(ARRAY['SELECT', 'UPDATE']) AS need
        WHERE NOT has_table_privilege(to_regclass($1), need)) AS needed`;
      const [row] = await on(executor)(lacked, quoted);
      const role = String(row?.role);
      return { role, needed: row?.needed as string[], forGuard: [], grants: this.grants(role) };
    },
    exists: async (executor) => (await read(executor)) !== undefined,
    createSql: ({ startAfter } = {}) => `${insert(startAfter)};\n`,
    create: async (executor, { startAfter } = {}) =>
      (await on(executor)(`${insert(startAfter)} RETURNING last`)).length > 0,
    async describe(executor) {
      const last = await read(executor);
      if (last === undefined) throw new IdError('ERR_IDS_CONFIG', `table ${table} has no counter "${name}"`);
      const warnings = ['a restore or a failover that loses commits repeats IDs, and nothing notices it'];
      return { reserved: last, summary: `issued up to ${last}`, warnings };
    },
    position: {
      last: BigInt(LAST_ID),
      skips: { failover: 0, restore: 0 },
      createdBy: 'INSERT',
      standsAt: read,
      async raise(executor, floor) {
        const raise = `UPDATE ${quoted} SET last = greatest(last, $2::bigint) WHERE name = $1 RETURNING last`;
        const [row] = await on(executor)(raise, name, String(floor));
        return BigInt(String(row?.last));
      },
    },
  };
}
