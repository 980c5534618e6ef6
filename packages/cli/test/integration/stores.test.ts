import { type OpenedStore, runStoreContract } from '@ids/conformance';
import { createIds, type IdGenerator, type KeyedIdGenerator } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import type { SqlExecutor } from '@ids/store';
import { openDatabase } from '@ids/store/open';
import { describe, inject, it, onTestFinished } from 'vitest';
import { family } from '../../src/built-in.js';

async function openStore(strategy: string, kind: SqlDialect, keyed = false): Promise<OpenedStore> {
  const database = await kind.shared();
  const table = uniqueName('store');
  const redis = inject('redisUrl');
  const known = family.find(({ name }) => name === strategy);
  const config = { strategy, name: uniqueName('order'), database, table, log: logs(strategy, keyed) };
  const others = {
    ...(known?.optionNames.includes('redis') && { redis }),
    ...(known?.optionNames.includes('startup') && { startup: 'at-once' }),
    ...(keyed && { keyed }),
    ...(keyed && known?.optionNames.includes('order') && { order: 'real-time' }),
  };
  const ids = createIds(family);
  const { store } = ids.plan({ ...config, ...others } as never);
  if (store === undefined) throw new Error(`${strategy} has no store`);
  const connection = await connect(database);
  const query = async (sql: string) => (await connection.execute(sql, [])).rows;
  return {
    store,
    connection,
    dialect: connection.dialect ?? 'postgres',
    async run(sql) {
      await using session = kind.connect(database, 1);
      // A driver of MySQL takes one statement at a time; bodies of triggers have semicolons within lines.
      const statements = connection.dialect === 'mysql' ? sql.split(/;\n/) : [sql];
      for (const statement of statements) if (statement.trim() !== '') await session.query(statement);
    },
    async issue(owner, key) {
      const options = { ...config, ...others, owner };
      if (keyed) {
        await using generator: KeyedIdGenerator = await ids.createKeyed(options as never);
        return BigInt(await generator.next(key));
      }
      await using generator: IdGenerator = await ids.create(options as never);
      return BigInt(await generator.next());
    },
    async newRole() {
      const account = await kind.createAccount(database);
      // MariaDB lets nobody in who has no right at all on the database.
      const other = `${table}_other`;
      if (kind.dialect === 'mysql') {
        await query(`CREATE TABLE ${other} (one INT)`);
        await query(`GRANT SELECT ON ${other} TO '${account.name}'@'%'`);
      }
      const own = await openDatabase(account.url, { max: 1 });
      onTestFinished(async () => {
        await own.close();
        await account.close();
      });
      return { role: account.name, connection: own };
    },
    async foreignTable() {
      await query(`CREATE TABLE ${table} (other INT NOT NULL)`);
      return () =>
        query(`SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}'`);
    },
  };
}

/** Ids by key that come from Redis are not logged. */
function logs(strategy: string, keyed: boolean): boolean {
  return !keyed || strategy === 'segment-inproc';
}

async function connect(database: string): Promise<SqlExecutor> {
  const executor = await openDatabase(database, { max: 1 });
  onTestFinished(() => executor.close());
  return executor;
}

describe.each(SQL_DIALECTS)('on $server', (kind) => {
  for (const strategy of ['segment-inproc', 'segment-redis-db', 'snowflake']) {
    const lacks = strategy === 'snowflake' ? (['position', 'keys'] as const) : (['keys'] as const);
    runStoreContract({ name: strategy, open: () => openStore(strategy, kind), lacks }, { describe, it });
    if (strategy === 'snowflake') continue;
    const open = () => openStore(strategy, kind, true);
    const without = logs(strategy, true) ? [] : (['log'] as const);
    runStoreContract({ name: `${strategy} by key`, open, lacks: without }, { describe, it });
  }
});
