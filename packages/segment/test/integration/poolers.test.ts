import { openPostgresPool, type PgBouncerMode, startPgBouncer } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  setFloor,
  whoIssued,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { connect, openDatabase, openPoolAs } from './sql-database.js';

const MODES: readonly PgBouncerMode[] = ['session', 'transaction', 'statement'];

/** A pool of at most `max` connections to a PgBouncer that has `poolSize` connections to `database`. */
async function openPooler(
  mode: PgBouncerMode,
  { database = inject('databaseUrl'), poolSize = 1, max = 4 } = {},
): Promise<pg.Pool> {
  const pooler = await startPgBouncer({ database, mode, poolSize });
  const pool = openPostgresPool(pooler.url, { max });
  onTestFinished(async () => {
    await pool.end();
    await pooler.close();
  });
  return pool;
}

describe.each(MODES)('through PgBouncer in mode %s', (mode) => {
  it('creates a table with its log, describes it as without, reserves, and raises its floor', async () => {
    const { executor: direct, schema } = await openDatabase();
    const executor = fromPg(await openPooler(mode));
    const options = { table: `${schema}.pooled`, log: true, owner: 'test' };
    await ensureSchema(executor, options);
    await createSequence(executor, 'order', options);
    const source = new SqlSegmentSource(executor, options);
    const { pace, ...described } = await source.describe('order');
    // Its age goes on between the two.
    const ageing = pace && { ...pace, ageSeconds: expect.any(Number) };
    expect(await new SqlSegmentSource(direct, options).describe('order')).toEqual({
      ...described,
      pace: ageing,
    });
    expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
    expect(await source.reserve('order', 10, { expectedMaxId: 10, timeoutMs: 60_000 })).toEqual({
      low: 11,
      high: 20,
      origin,
    });
    await setFloor(executor, 'order', 100, options);
    expect(await source.reserve('order', 10, { floor: 50 })).toEqual({ low: 101, high: 110, origin });
    expect(await whoIssued(executor, 'order', 105, options)).toMatchObject({
      grants: [{ owner: 'test', low: 101 }],
    });
  });

  it('reserves segments that do not overlap, for many who share few connections', async () => {
    const { executor, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    // In session mode each of the pool's connections keeps one of the pooler's.
    const shared = fromPg(await openPooler(mode, mode === 'session' ? { poolSize: 4 } : {}));
    const sources = Array.from({ length: 5 }, () => new SqlSegmentSource(shared, { table }));
    const segments = await Promise.all(
      Array.from({ length: 50 }, (_, i) => sources[i % 5]?.reserve('order', 10)),
    );
    const lows = segments.map((segment) => segment?.low ?? 0).sort((a, b) => a - b);
    expect(lows).toEqual(Array.from({ length: 50 }, (_, i) => 10 * i + 1));
  });

  it('hands over the warnings of the server, and no setting of one statement to the next', async () => {
    const pool = await openPooler(mode, { max: 1 });
    const executor = fromPg(pool);
    const { notices } = await executor.execute(`DO $$ BEGIN RAISE WARNING 'mind the gap'; END $$`, []);
    expect(notices).toEqual([expect.stringContaining('mind the gap')]);
    const { executor: direct, table } = await openDatabase();
    await createSequence(direct, 'order', { table });
    const before = (await pool.query('SHOW lock_timeout')).rows;
    await new SqlSegmentSource(executor, { table }).reserve('order', 10, { timeoutMs: 30_000 });
    expect((await pool.query('SHOW lock_timeout')).rows).toEqual(before);
  });
});

describe('where the role has settings of its own', () => {
  const isolations = ['read committed', 'repeatable read', 'serializable'];

  it.each(isolations)('%s: processes with a pool of one reserve disjoint segments', async (isolation) => {
    const { executor, pool, table, schema } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const letters = [...'abcdefgh'];
    const pools = await Promise.all(
      letters.map((letter) => openPoolAs(`${schema}_${letter}`, 'SUPERUSER', 1)),
    );
    for (const letter of letters) {
      await pool.query(`ALTER ROLE ${schema}_${letter} SET default_transaction_isolation = '${isolation}'`);
    }
    const [first] = pools;
    expect((await first?.query('SHOW transaction_isolation'))?.rows).toEqual([
      { transaction_isolation: isolation },
    ]);
    const sources = pools.map((one) => new SqlSegmentSource(fromPg(one), { table }));
    const segments = await Promise.all(
      sources.flatMap((source) => Array.from({ length: 10 }, () => source.reserve('order', 10))),
    );
    expect(segments.map(({ low }) => low).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 80 }, (_, i) => 10 * i + 1),
    );
  });

  const limits = [
    ['statement_timeout', '300ms'],
    ['lock_timeout', '300ms'],
  ] as const;
  for (const [setting, value] of limits) {
    faultTest(
      `${setting}: a reservation that meets a locked row fails, and one after it succeeds`,
      async () => {
        const { executor, pool, table, schema } = await openDatabase();
        await createSequence(executor, 'order', { table });
        const limited = await openPoolAs(schema, 'SUPERUSER', 1);
        await pool.query(`ALTER ROLE ${schema} SET ${setting} = '${value}'`);
        expect((await limited.query(`SHOW ${setting}`)).rows).toEqual([{ [setting]: value }]);
        const source = new SqlSegmentSource(fromPg(limited), { table });
        const locker = await connect(pool);
        await injectFault(() => locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`));
        await expect(source.reserve('order', 10)).rejects.toMatchObject({ retryable: true });
        await locker.query('ROLLBACK');
        locker.release();
        expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
      },
    );
  }
});
