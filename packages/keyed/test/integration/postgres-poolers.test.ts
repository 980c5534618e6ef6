import { startPgBouncer } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg } from '@ids/store/postgres';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { SqlKeyedSource } from '../../src/sql/index.js';
import { openKeyDatabase, reserve } from './key-database.js';

const POSTGRES = SQL_DIALECTS.find(({ dialect }) => dialect === 'postgres') as SqlDialect;

it.each(['session', 'transaction', 'statement'] as const)(
  'a source of keys runs through PgBouncer in mode %s',
  async (mode) => {
    const { table } = await openKeyDatabase(POSTGRES);
    const pooler = await startPgBouncer({ database: inject('databaseUrl'), mode, poolSize: 2 });
    onTestFinished(() => pooler.close());
    // More than the pooler has, so that it moves them around; in session mode, each keeps one of those.
    const pool = new pg.Pool({ connectionString: pooler.url, max: mode === 'session' ? 2 : 6 });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    const keyed = new SqlKeyedSource(fromPg(pool), { table });
    for (let round = 1; round <= 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          keyed.reserve('message', [{ key: `k${i}`, size: 1 }], { wait: false }),
        ),
      );
      expect(answers.map(({ keys }) => keys)).toEqual(
        answers.map(() => [{ high: round, isNew: round === 1 }]),
      );
    }
  },
);

it('a source of keys works with array_nulls off', async () => {
  const { url, table } = await openKeyDatabase(POSTGRES);
  const pool = new pg.Pool({ connectionString: url, options: '-c array_nulls=off' });
  onTestFinished(() => pool.end());
  const keyed = new SqlKeyedSource(fromPg(pool), { table, afterRestore: 'refuse' });
  expect(await reserve(keyed, ['a', 'b'])).toEqual([10, 10]);
});
