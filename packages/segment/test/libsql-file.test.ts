import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runSegmentSourceContract } from '@ids/conformance';
import { openFolder } from '@ids/local-services/dialects';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromLibsql,
  fromLibsqlFile,
  missingSchema,
  SqlSegmentSource,
} from '../src/sql/index.js';
import { openClient } from './libsql-client.js';

const SKIP = 10_000_000;

/** A connection of the library that the client has: two in one process do not see each other's locks. */
function connectTo(path: string): Database.Database {
  const database = new Database(path);
  onTestFinished(() => void database.close());
  return database;
}

/** A client of a file in WAL mode. */
async function openFile() {
  const path = join(openFolder(), 'ids.db');
  const client = openClient(pathToFileURL(path).href);
  await client.execute('PRAGMA journal_mode = WAL');
  const executor = fromLibsqlFile(client);
  await ensureSchema(executor, { log: true });
  return { path, client, executor };
}

describe('a file by @libsql/client', () => {
  const open = async () => {
    const { executor } = await openFile();
    return {
      source: new SqlSegmentSource(executor, { log: true }),
      createSequence: (name: string, startAfter: number) => createSequence(executor, name, { startAfter }),
    };
  };
  runSegmentSourceContract({ name: 'SqlSegmentSource over a file by libSQL', open }, { describe, it });

  it('has the guards of the table, and says what is missing or locked', async () => {
    const { path, client, executor } = await openFile();
    expect(await missingSchema(executor, { log: true })).toEqual([]);
    await createSequence(executor, 'order', { startAfter: 100 });
    await expect(client.execute('UPDATE id_segment SET max_id = 99')).rejects.toThrow(/rejected/);
    await expect(client.execute('DELETE FROM id_segment')).rejects.toThrow(/rejected/);
    const source = new SqlSegmentSource(executor);
    expect((await source.describe('order')).warnings).toEqual([expect.stringContaining('setFloor')]);
    await expect(new SqlSegmentSource(executor, { table: 'other' }).describe('order')).rejects.toThrow(
      /no such table.*ensureSchema/,
    );
    const holder = connectTo(path);
    holder.exec('BEGIN IMMEDIATE');
    await expect(source.reserve('order', 1, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    holder.exec('COMMIT');
    expect((await source.reserve('order', 1)).low).toBe(101);
  });

  it('commits each reservation, whatever the application rolls back', async () => {
    const { path, client, executor } = await openFile();
    await createSequence(executor, 'order');
    const transaction = await client.transaction('deferred');
    expect((await new SqlSegmentSource(executor).reserve('order', 5)).high).toBe(5);
    await transaction.rollback();
    expect(connectTo(path).prepare('SELECT max_id FROM id_segment').get()).toMatchObject({ max_id: 5 });
  });

  it('skips ids in a file that is a copy of the one of the last reservation', async () => {
    const { path, client, executor } = await openFile();
    await createSequence(executor, 'order');
    await new SqlSegmentSource(executor).reserve('order', 10);
    await client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const copy = join(openFolder(), 'copy.db');
    copyFileSync(path, copy);
    const other = new SqlSegmentSource(fromLibsqlFile(openClient(pathToFileURL(copy).href)));
    expect(await other.reserve('order', 1)).toMatchObject({
      low: 11 + SKIP,
      newReign: { cause: 'restore', skipped: SKIP },
    });
  });

  const refused = (message: RegExp) => ({ code: 'ERR_IDS_CONFIG', message: expect.stringMatching(message) });

  it('is refused if it could lose commits, in memory, and as an embedded replica', async () => {
    const path = join(openFolder(), 'ids.db');
    const client = openClient(pathToFileURL(path).href);
    await expect(ensureSchema(fromLibsqlFile(client))).rejects.toMatchObject(
      refused(/journal_mode = DELETE.*synchronous = FULL/),
    );
    const memory = fromLibsqlFile(openClient('file::memory:'));
    await expect(ensureSchema(memory)).rejects.toMatchObject(refused(/memory/));
    // What the client leaves beside a replica.
    writeFileSync(`${path}-client_wal_index`, '');
    await expect(ensureSchema(fromLibsqlFile(client))).rejects.toMatchObject(
      refused(/ids\.db.*\bfromLibsql\b/),
    );
  });

  it('is not taken for a server, nor a server for a file', async () => {
    const { client } = await openFile();
    expect(() => fromLibsql(client)).toThrow(/fromLibsqlFile/);
    expect(() => fromLibsqlFile(openClient('http://127.0.0.1:9'))).toThrow(/\bfromLibsql$/);
  });
});
