import { chmodSync, linkSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runSegmentSourceContract } from '@ids/conformance';
import { connectToFile, openFolder, SQLITE_DRIVERS } from '@ids/local-services/dialects';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromSqlite,
  fromSqliteUrl,
  missingSchema,
  openSqlSource,
  type SqliteDatabaseLike,
  SqlSegmentSource,
  segmentGrants,
  segmentSchema,
  sequenceSql,
  setFloor,
} from '../src/sql/index.js';
import { openFile } from './sqlite-file.js';

describe.each(SQLITE_DRIVERS)('with $driver', ({ driver, open }) => {
  const openDatabase = (path = join(openFolder(), 'ids.db')) => {
    const database = open(path);
    onTestFinished(() => void database.close());
    database.exec('PRAGMA synchronous = EXTRA');
    return database;
  };
  const openSource = async () => {
    const executor = fromSqlite(openDatabase());
    await ensureSchema(executor, { log: true });
    return {
      source: new SqlSegmentSource(executor, { log: true }),
      createSequence: (name: string, startAfter: number) => createSequence(executor, name, { startAfter }),
    };
  };
  runSegmentSourceContract({ name: 'SqlSegmentSource over SQLite', open: openSource }, { describe, it });

  it('says what a lock, a transaction, a guard and a missing table are', async () => {
    const path = join(openFolder(), 'ids.db');
    const database = openDatabase(path);
    const executor = fromSqlite(database);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor);
    database.exec('BEGIN');
    await expect(source.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    database.exec('ROLLBACK');
    expect(() => database.exec('DELETE FROM id_segment')).toThrow(/DELETE rejected/);
    await expect(new SqlSegmentSource(executor, { table: 'other' }).describe('order')).rejects.toThrow(
      /no such table.*ensureSchema/,
    );
    // Of the same library: the locks of two in one process do not keep them apart.
    const holder = openDatabase(path);
    holder.exec('BEGIN IMMEDIATE');
    await expect(source.reserve('order', 1, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    holder.exec('COMMIT');
    expect((await source.reserve('order', 1)).low).toBe(1);
  });

  it('prepares a reservation once', async () => {
    const database = openDatabase();
    let prepared = 0;
    const prepare = (sql: string) => {
      prepared += 1;
      return database.prepare(sql);
    };
    const executor = fromSqlite({ prepare, exec: (sql) => database.exec(sql), close: () => {} });
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor);
    // The first one writes the file into the row.
    for (let first = 0; first < 2; first++) await source.reserve('order', 1);
    prepared = 0;
    for (let more = 0; more < 5; more++) await source.reserve('order', 1);
    expect(prepared).toBe(0);
  });

  it.runIf(driver === 'node:sqlite')('goes on with a database that was closed and opened again', async () => {
    const database = openDatabase() as unknown as { open(): void; close(): void } & SqliteDatabaseLike;
    const executor = fromSqlite(database);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor);
    for (let first = 0; first < 2; first++) await source.reserve('order', 1);
    database.close();
    database.open();
    database.exec('PRAGMA synchronous = EXTRA');
    // What was prepared before is void.
    await expect(source.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    expect((await source.reserve('order', 1)).low).toBe(3);
  });
});

describe('the segment table in a file of SQLite', () => {
  it.each([
    'UPDATE id_segment SET max_id = 99',
    "UPDATE id_segment SET server_name = 'other'",
    'DELETE FROM id_segment',
    "REPLACE INTO id_segment (server_name, max_id) VALUES ('order', 1)",
    "INSERT OR REPLACE INTO id_segment (server_name) VALUES ('order')",
  ])('rejects %s', async (sql) => {
    const { database, executor } = await openFile();
    await createSequence(executor, 'order', { startAfter: 100 });
    expect(() => database.exec(sql)).toThrow(/rejected/);
    expect((await new SqlSegmentSource(executor).reserve('order', 1)).low).toBe(101);
  });

  it('is made by a migration that may run twice, and then by nobody', async () => {
    const path = join(openFolder(), 'ids.db');
    const database = connectToFile(path);
    const executor = fromSqlite(database);
    expect(await missingSchema(executor, { log: true })).toEqual(['table', 'log']);
    const sql = `${segmentSchema(undefined, { log: true, dialect: 'sqlite' })}${sequenceSql("it's", { startAfter: 7, dialect: 'sqlite' })}`;
    for (let twice = 0; twice < 2; twice++) database.exec(sql);
    expect(await missingSchema(executor, { log: true })).toEqual([]);
    const segment = await new SqlSegmentSource(executor, { log: true }).reserve("it's", 5);
    expect(segment).toMatchObject({ low: 8, high: 12 });
    expect(segment).not.toHaveProperty('newReign');
  });

  it('puts a guard back that is gone, and refuses the table of somebody else', async () => {
    const { database, executor } = await openFile();
    database.exec('DROP TRIGGER id_segment_delete');
    expect(await missingSchema(executor)).toEqual(['guards']);
    await ensureSchema(executor);
    expect(await missingSchema(executor)).toEqual([]);
    database.exec('CREATE TABLE users (id integer PRIMARY KEY, email text)');
    await expect(ensureSchema(executor, { table: 'users' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/\busers\b.*\bid integer, email text\b/),
    });
    const objects = database.prepare("SELECT name FROM sqlite_master WHERE tbl_name = 'users'").all();
    expect(objects).toMatchObject([{ name: 'users' }]);
  });

  it('refuses to reserve without its log', async () => {
    const { database, executor } = await openFile({ log: true });
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor, { log: true });
    await source.reserve('order', 20);
    database.exec('DROP TRIGGER id_segment_log');
    const noLog = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('id_segment_log') };
    await expect(source.reserve('order', 1)).rejects.toMatchObject(noLog);
    await expect(source.describe('order')).rejects.toMatchObject(noLog);
    expect((await new SqlSegmentSource(executor).reserve('order', 1)).low).toBe(21);
  });

  it('restarts in each day, of a zone without rules', async () => {
    const { executor } = await openFile();
    await createSequence(executor, 'ticket', { group: { by: 'day', timeZone: '+08:00' } });
    const day = Number(new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', ''));
    const source = new SqlSegmentSource(executor);
    const { low, expiresAt } = await source.reserve('ticket', 5);
    expect([day, day + 1]).toContain(Math.floor(low / 10 ** 8));
    expect(low % 10 ** 8).toBe(1);
    expect(expiresAt).toBeGreaterThan(performance.now());
    expect((await source.reserve('ticket', 5)).low).toBe(low + 5);
    await expect(
      createSequence(executor, 'zone', { group: { by: 'day', timeZone: 'Europe/Berlin' } }),
    ).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('SQLite') });
  });

  it('has no rights to grant, and no schema in its name', async () => {
    const { executor } = await openFile();
    expect(() => segmentGrants('service', { dialect: 'sqlite' })).toThrow(/SQLite/);
    await expect(ensureSchema(executor, { table: 'main.ids' })).rejects.toThrow(/SQLite.*"main\.ids"/);
  });
});

describe('a file of SQLite', () => {
  const refused = (message: RegExp) => ({ code: 'ERR_IDS_CONFIG', message: expect.stringMatching(message) });

  it.each([
    [['synchronous = NORMAL', 'journal_mode = WAL'], /\bsynchronous\b.*\b1\b/],
    [['synchronous = OFF'], /\bsynchronous\b.*\b0\b/],
    [['synchronous = FULL'], /journal_mode = DELETE.*synchronous = FULL/],
    [['journal_mode = MEMORY'], /\bjournal_mode\b.*\bmemory\b/],
  ])('is refused with %s', async (settings, message) => {
    const { database, executor } = await openFile();
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor);
    expect((await source.reserve('order', 1)).low).toBe(1);
    for (const setting of settings) database.exec(`PRAGMA ${setting}`);
    await expect(source.describe('order')).rejects.toMatchObject(refused(message));
    await expect(source.reserve('order', 1)).rejects.toMatchObject(refused(message));
  });

  it('is refused with journal_mode = OFF, unless that is what the driver refuses', async () => {
    const { database, executor } = await openFile();
    await createSequence(executor, 'order');
    database.exec('PRAGMA journal_mode = OFF');
    const { journal_mode: mode } = Object(database.prepare('PRAGMA journal_mode').get());
    expect(mode).toBe(SQLITE_DRIVERS[0]?.driver === 'better-sqlite3' ? 'delete' : 'off');
    if (mode !== 'off') return;
    const source = new SqlSegmentSource(executor);
    await expect(source.reserve('order', 1)).rejects.toMatchObject(refused(/\bjournal_mode\b.*\boff\b/));
  });

  it.each([
    ['journal_mode = WAL', 'synchronous = FULL'],
    ['journal_mode = TRUNCATE', 'synchronous = FULL'],
    ['journal_mode = PERSIST', 'synchronous = FULL'],
  ])('is used with %s and %s', async (...settings) => {
    const { database, executor } = await openFile();
    for (const setting of settings) database.exec(`PRAGMA ${setting}`);
    await createSequence(executor, 'order');
    expect((await new SqlSegmentSource(executor).reserve('order', 1)).low).toBe(1);
  });

  it('is not in memory, nor temporary', async () => {
    for (const path of [':memory:', '']) {
      const executor = fromSqlite(connectToFile(path));
      await expect(ensureSchema(executor)).rejects.toMatchObject(refused(/memory/));
    }
  });

  it('has one name', async () => {
    const { path } = await openFile();
    linkSync(path, `${path}.linked`);
    for (const name of [path, `${path}.linked`])
      await expect(ensureSchema(fromSqlite(connectToFile(name)))).rejects.toMatchObject(refused(/hard link/));
    rmSync(`${path}.linked`);
    await ensureSchema(fromSqlite(connectToFile(path)));
  });

  it('is not reserved from inside a transaction of its connection', async () => {
    const { database, executor } = await openFile();
    await createSequence(executor, 'order');
    const source = new SqlSegmentSource(executor);
    database.exec('BEGIN');
    await expect(source.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    database.exec('ROLLBACK');
    expect((await source.reserve('order', 1)).low).toBe(1);
  });

  it('leaves the waits of a connection as they were', async () => {
    const { database, executor } = await openFile();
    database.exec('PRAGMA busy_timeout = 4321');
    await createSequence(executor, 'order');
    expect(database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 4_321 });
  });

  it('is refused where the connection is read-only', async () => {
    const { path, executor } = await openFile();
    await createSequence(executor, 'order');
    const database = connectToFile(path);
    database.exec('PRAGMA query_only = 1');
    const source = new SqlSegmentSource(fromSqlite(database));
    await expect(source.reserve('order', 1)).rejects.toMatchObject(refused(/readonly/));
  });

  it('is opened by its URL when it is first used, and closed with its last file', async () => {
    const folder = openFolder();
    const path = join(folder, 'ids.db');
    const executor = fromSqliteUrl(`sqlite:${path}`);
    expect(readdirSync(folder)).toEqual([]);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    await executor.close();
    await executor.close();
    const source = await openSqlSource({ database: `sqlite:${path}` });
    expect((await source.describe('order')).warnings).toEqual([expect.stringContaining('setFloor')]);
    expect((await source.reserve('order', 10)).high).toBe(10);
    await source.close();
    chmodSync(path, 0o444);
    expect(new Database(path).prepare('SELECT max_id FROM id_segment').get()).toMatchObject({ max_id: 10 });
  });

  it.each(['sqlite:', 'sqlite://host/ids.db', 'sqlite::memory:', 'sqlite:ids.db?mode=ro'])(
    'is not named by %s',
    async (database) => {
      expect(() => fromSqliteUrl(database)).toThrow(/\bsqlite:ids\.db\b/);
    },
  );

  it('is refused in a folder that is not there', async () => {
    const executor = fromSqliteUrl(`sqlite:${join(openFolder(), 'missing', 'ids.db')}`);
    const describing = new SqlSegmentSource(executor).describe('order');
    await expect(describing).rejects.toMatchObject(refused(/folder must exist/));
  });

  it('says that a sequence and the table are missing, and raises a floor', async () => {
    const { executor } = await openFile();
    await expect(new SqlSegmentSource(executor).reserve('order', 1)).rejects.toMatchObject(
      refused(/createSequence/),
    );
    await expect(
      new SqlSegmentSource(executor, { table: 'other' }).reserve('order', 1),
    ).rejects.toMatchObject(refused(/other.*ensureSchema/));
    await createSequence(executor, 'order', { startAfter: 10 });
    for (const floor of [500, 500, 3]) {
      expect(await setFloor(executor, 'order', floor)).toMatchObject({ maxId: 500 });
    }
  });
});
