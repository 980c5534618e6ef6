import { runSegmentSourceContract } from '@ids/conformance';
import { type LibsqlServer, startLibsql } from '@ids/local-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromLibsql,
  missingSchema,
  type SqliteExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { openClient } from '../libsql-client.js';

const SKIP = 10_000_000;

let server: LibsqlServer;
let tables = 0;
beforeAll(async () => {
  server = await startLibsql();
});
afterAll(() => server.close());

/** A table of its own on the server. */
async function openTable() {
  const table = `ids_${++tables}`;
  const client = openClient(server.url);
  const executor = fromLibsql(client, { url: server.url });
  await ensureSchema(executor, { table, log: true });
  const source = (by: SqliteExecutor = executor) => new SqlSegmentSource(by, { table });
  return { table, client, executor, source };
}

describe('a server of libSQL', () => {
  const open = async () => {
    const { table, executor } = await openTable();
    return {
      source: new SqlSegmentSource(executor, { table, log: true }),
      createSequence: (name: string, startAfter: number) =>
        createSequence(executor, name, { startAfter, table }),
    };
  };
  runSegmentSourceContract({ name: 'SqlSegmentSource over a server of libSQL', open }, { describe, it });

  it('has the guards of the table, and says what is missing', async () => {
    const { table, client, executor, source } = await openTable();
    expect(await missingSchema(executor, { table, log: true })).toEqual([]);
    await createSequence(executor, 'order', { table, startAfter: 100 });
    for (const sql of [
      `UPDATE ${table} SET max_id = 99`,
      `DELETE FROM ${table}`,
      `REPLACE INTO ${table} (server_name, max_id) VALUES ('order', 1)`,
    ]) {
      await expect(client.execute(sql)).rejects.toThrow(/rejected/);
    }
    expect((await source().describe('order')).warnings).toEqual([expect.stringContaining('setFloor')]);
    await expect(new SqlSegmentSource(executor, { table: 'other' }).describe('order')).rejects.toThrow(
      /no such table.*ensureSchema/,
    );
  });

  it('gives up in time where a transaction of the application holds the lock, and goes on after it', async () => {
    const { table, client, executor, source } = await openTable();
    await createSequence(executor, 'order', { table });
    const transaction = await client.transaction('write');
    await transaction.execute(`UPDATE ${table} SET max_id = 1000`);
    await expect(source().reserve('order', 1, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    await transaction.rollback();
    // The statement that was given up on has run meanwhile, or not.
    expect([1, 2]).toContain((await source().reserve('order', 1)).low);
  });

  it('notices a restore into a new database by its url, whatever the scheme and the token', async () => {
    const { table, client, executor, source } = await openTable();
    await createSequence(executor, 'order', { table });
    await source().reserve('order', 10);
    const by = (url?: string) => source(fromLibsql(client, { url }));
    const sameDatabase = `${server.url.replace('http:', 'libsql:')}?authToken=secret`;
    expect((await by(sameDatabase).reserve('order', 1)).low).toBe(11);
    const restored = by('libsql://restored.example.com');
    expect((await restored.describe('order')).warnings).toHaveLength(2);
    expect(await restored.reserve('order', 1)).toMatchObject({
      low: 12 + SKIP,
      newReign: { cause: 'restore', skipped: SKIP },
    });
    expect((await by().describe('order')).warnings).toContainEqual(
      expect.stringContaining('has no identity'),
    );
  });

  it('is described and reserved from on the primary, by a replica that is behind', async () => {
    const { table, executor, source } = await openTable();
    await createSequence(executor, 'order', { table });
    await using replica = await startLibsql({ primary: server });
    const client = openClient(replica.url);
    const byReplica = source(fromLibsql(client, { url: server.url }));
    let stale = 0;
    for (let rounds = 0; stale < 10; rounds++) {
      expect(rounds).toBeLessThan(1_000);
      const { high } = await source().reserve('order', 10);
      expect((await byReplica.describe('order')).maxId).toBe(high);
      const { low } = await source().reserve('order', 10);
      const { rows } = await client.execute(`SELECT max_id FROM ${table}`);
      if (Number(rows[0]?.max_id) < low) stale++;
      expect((await byReplica.reserve('order', 10, { floor: low })).low).toBe(low + 10);
    }
  });
});
