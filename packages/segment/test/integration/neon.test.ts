import { openNeonHttp, openNeonPool } from '@ids/local-services/dialects';
import { neon, Pool } from '@neondatabase/serverless';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSequence, fromNeon, openSqlSource, SqlSegmentSource } from '../../src/sql/index.js';
import { openDatabase } from './sql-database.js';

it('fromNeon refuses a client, a connection of a pool and a wrong function', async () => {
  const pool = await openNeonPool(inject('databaseUrl'));
  onTestFinished(() => pool.end());
  const connection = await pool.connect();
  // @ts-expect-error a connection of a pool is no pool
  expect(() => fromNeon(connection)).toThrow(TypeError);
  connection.release();
  // @ts-expect-error nor is a function that sends no statements
  expect(() => fromNeon(() => {})).toThrow(TypeError);
  expect(() => fromNeon(new Pool())).not.toThrow();
});

it.each([{ arrayMode: true }, { fullResults: true }, { fetchOptions: { keepalive: true } }])(
  'fromNeon reads rows over HTTP whatever the function was created with: %o',
  async (options) => {
    const { executor, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    // Sends to what stands in for Neon from then on.
    await openNeonHttp(inject('databaseUrl'));
    const source = new SqlSegmentSource(fromNeon(neon(inject('databaseUrl'), options)), { table });
    const { signal } = new AbortController();
    expect((await source.reserve('order', 10, { signal })).low).toBe(1);
  },
);

it('fromNeon says what the server says over HTTP', async () => {
  const source = await openSqlSource({
    database: await openNeonHttp(inject('databaseUrl')),
    table: 'nowhere',
  });
  await expect(source.describe('order')).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/nowhere.*ensureSchema/),
  });
});
