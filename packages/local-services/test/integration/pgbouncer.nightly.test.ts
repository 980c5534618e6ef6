import { describe, expect, it } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { startPgBouncer, startPostgres, withPostgres } from '../../src/index.js';
import { pgClient } from './connections.js';

describe('startPgBouncer', () => {
  it('pools connections of the database, whose password it asks for', async () => {
    await using server = await startPostgres();
    const database = await server.createDatabase();
    await using pooler = await startPgBouncer({ database, mode: 'statement', poolSize: 1 });
    const ask = 'SELECT pg_backend_pid() AS pid, current_database() AS name';
    const [one, other] = [await pgClient(pooler.url), await pgClient(pooler.url)];
    const { rows } = await one.query(ask);
    expect((await other.query(ask)).rows).toEqual(rows);
    expect(rows[0]).toMatchObject({ name: new URL(database).pathname.slice(1) });
    await expect(one.query('BEGIN')).rejects.toThrow(/transaction blocks not allowed/i);
    const wrong = new URL(pooler.url);
    wrong.password = 'wrong';
    await expect(pgClient(wrong.href)).rejects.toThrow(/password|authentication/i);
    expect(pooler.version).toMatch(/^\d+\.\d+/);
  });

  faultTest('takes its connections along when it is killed, and starts again', async () => {
    await using server = await startPostgres();
    await using pooler = await startPgBouncer({ database: server.url, mode: 'session' });
    const client = await pgClient(pooler.url);
    await injectFault(() => pooler.kill());
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await injectFault(() => pooler.start());
    await withPostgres(pooler.url, async (pool) =>
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]),
    );
  });
});
