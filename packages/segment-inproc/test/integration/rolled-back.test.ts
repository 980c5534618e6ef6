import { assertHistory, emptyHistory, recordCalls } from '@ids/conformance';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { SqlSegmentSource } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import type pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

/** What `fromPg` keeps out: statements in a transaction that somebody else rolls back. */
function rolledBack(pool: pg.Pool): SqlExecutor {
  return {
    async execute(text, values) {
      const client = await pool.connect();
      await client.query('BEGIN');
      const { rows } = await client.query(text, [...values]);
      await client.query('ROLLBACK');
      client.release();
      return { rows, notices: [] };
    },
    async close() {},
  };
}

it('a store whose reservations are rolled back gives ids twice, and the checker of histories says so', async () => {
  const pool = openPostgresPool(inject('databaseUrl'), { max: 2 });
  onTestFinished(() => pool.end());
  const { table, name } = await createContext(inject('databaseUrl'), uniqueName('rolled_back'), 'number');
  const source = new SqlSegmentSource(rolledBack(pool), { table });
  const history = emptyHistory();
  for (const process of [1, 2]) {
    await using generator = await createSegmentInprocGenerator({ name, source });
    await recordCalls(generator, history, { process, callers: 1, perCaller: 10 });
  }
  expect(() => assertHistory(history, { levels: ['unique'] })).toThrow(/twice|duplicate/i);
});
