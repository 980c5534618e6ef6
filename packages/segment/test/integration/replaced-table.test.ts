import { uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import pg from 'pg';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { KnownReigns, reserveAbove } from '../../src/index.js';
import {
  createSequence,
  ensureSchema,
  fromPg,
  type SqlExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { CLIENTS } from './dialects.js';
import { openDatabase, openPool } from './sql-database.js';

const SKIP = 1_000;

describe.each(CLIENTS)('a table on $server that was dropped and created anew', (kind) => {
  faultTest('is refused by generators that used the former one', async () => {
    const { executor, table, run } = await kind.open();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table });
    const known = new KnownReigns('order', await source.describe('order'));
    const reserve = (floor: number) => reserveAbove(source, 'order', 10, floor, { onEvent: () => {}, known });
    const { high } = await reserve(0);
    await injectFault(async () => {
      await run('DROP TABLE %t');
      await ensureSchema(executor, { table });
      await createSequence(executor, 'order', { table, startAfter: 5 });
    });
    await expect(reserve(high)).rejects.toMatchObject({ code: 'ERR_IDS_REALM' });
    // It was not raised either: what the new generators reserve is theirs.
    expect((await source.describe('order')).maxId).toBeLessThan(100);
  });
});

describe('a trigger of somebody else on the table', () => {
  faultTest('that puts max_id back is noticed by the first reservation', async () => {
    const { executor, pool, table, schema } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table });
    await source.reserve('order', 100);
    await injectFault(() =>
      pool.query(`CREATE FUNCTION ${schema}.keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.max_id := OLD.max_id; RETURN NEW; END $$;
        CREATE TRIGGER zz_keep BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.keep()`),
    );
    await expect(source.reserve('order', 10)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/\b91\.\.100\b.*\b100\b.*\bmax_id\b/),
    });
  });
});

/** A database of its own, which the test may drop. */
async function openOwnDatabase() {
  const admin = openPool({ max: 1 });
  const [name, copy] = [uniqueName('segment'), uniqueName('segment')];
  await admin.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    const dropping = new pg.Client(inject('databaseUrl'));
    await dropping.connect();
    for (const each of [name, copy]) await dropping.query(`DROP DATABASE IF EXISTS ${each} WITH (FORCE)`);
    await dropping.end();
  });
  const url = new URL(inject('databaseUrl'));
  url.pathname = name;
  /** Runs with a connection that is gone afterwards. */
  const using = async <T>(work: (executor: SqlExecutor) => Promise<T>): Promise<T> => {
    const pool = new pg.Pool({ connectionString: url.href, max: 1 });
    // Where the database is dropped before its server has closed the connection.
    pool.on('error', () => {});
    try {
      return await work(fromPg(pool));
    } finally {
      await pool.end();
    }
  };
  return { admin, name, copy, using };
}

describe('a database on Postgres that a copy by TEMPLATE replaced', () => {
  const GUARD = ' OR s.database_id <> here_database';

  /** The lowest id that is reserved afterwards, by statements that `change` has changed. */
  async function lowestAfterCopy(change: (text: string) => string): Promise<number> {
    const { admin, name, copy, using } = await openOwnDatabase();
    await using(async (executor) => {
      await ensureSchema(executor);
      await createSequence(executor, 'order');
      await new SqlSegmentSource(executor).reserve('order', 100);
    });
    await injectFault(() => admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`));
    await using((executor) => new SqlSegmentSource(executor).reserve('order', 50));
    await injectFault(async () => {
      await admin.query(`DROP DATABASE ${name}`);
      await admin.query(`ALTER DATABASE ${copy} RENAME TO ${name}`);
    });
    return using(async (executor) => {
      const changed: SqlExecutor = {
        execute: (text, ...rest) => executor.execute(change(text), ...rest),
        close: () => executor.close(),
      };
      return (await new SqlSegmentSource(changed, { afterRestore: SKIP }).reserve('order', 1)).low;
    });
  }

  faultTest('is noticed, and skips what the copy lacks', async () => {
    expect(await lowestAfterCopy((text) => text)).toBe(101 + SKIP);
  });

  faultTest('would repeat ids if the oid of the database were not compared', async () => {
    let found = 0;
    const lowest = await lowestAfterCopy((text) => {
      if (text.includes(GUARD)) found += 1;
      return text.replaceAll(GUARD, '');
    });
    expect(found).toBeGreaterThan(0);
    expect(lowest).toBe(101);
  });
});
