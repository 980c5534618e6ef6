import { runKeyedSourceContract } from '@ids/conformance';
import { connectToFile, openFolder, SQLITE_DRIVERS } from '@ids/local-services/dialects';
import { createSequence, fromSqlite, sequenceSql } from '@ids/segment/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  deleteKey,
  ensureKeyedSchema,
  keyedGrants,
  keyedSchema,
  missingKeyedSchema,
  SqlKeyedSource,
} from '../src/sql/index.js';
import { reserve } from './integration/key-database.js';
import { openKeyFile } from './sqlite-file.js';

describe.each(SQLITE_DRIVERS)('with $driver', ({ open }) => {
  runKeyedSourceContract(
    {
      name: 'SqlKeyedSource on SQLite',
      // Only the whole file can be locked.
      cannotLock: true,
      open: async () => {
        const path = `${openFolder()}/ids.db`;
        const connect = () => {
          const database = open(path);
          onTestFinished(() => void database.close());
          database.exec('PRAGMA synchronous = EXTRA');
          return fromSqlite(database);
        };
        const executor = connect();
        await ensureKeyedSchema(executor);
        return {
          source: new SqlKeyedSource(executor),
          other: new SqlKeyedSource(connect()),
          createFamily: (name, startAfter, group) => createSequence(executor, name, { startAfter, group }),
        };
      },
    },
    { describe, it },
  );
});

describe('the table of the keys in a file of SQLite', () => {
  it.each([
    'UPDATE id_segment_key SET max_id = 1',
    "UPDATE id_segment_key SET sequence_key = '62'",
    "UPDATE id_segment_key SET family = 'other'",
    'DELETE FROM id_segment_key',
    "REPLACE INTO id_segment_key (family, sequence_key, max_id) VALUES ('message', '61', 1)",
  ])('rejects %s', async (sql) => {
    const { database, source } = await openKeyFile();
    const keyed = source();
    expect(await reserve(keyed, ['a'], 5)).toEqual([5]);
    expect(() => database.exec(sql)).toThrow(/rejected/);
    database.exec('UPDATE id_segment_key SET max_id = 20');
    expect(await reserve(keyed, ['a'], 5)).toEqual([25]);
  });

  it.each(['Aa', 'zz', 'abc', 'aa'.repeat(256)])('holds no key but bytes in digits: not %s', async (hex) => {
    const { database } = await openKeyFile();
    const insert = `INSERT INTO id_segment_key (family, sequence_key, max_id) VALUES ('message', '${hex}', 1)`;
    expect(() => database.exec(insert)).toThrow(/CHECK/);
  });

  it('is made by a migration that may run twice, and keys start where that says', async () => {
    const path = `${openFolder()}/ids.db`;
    const database = connectToFile(path);
    const executor = fromSqlite(database);
    expect(await missingKeyedSchema(executor, { log: true })).toEqual(['table', 'log']);
    const sql = `${keyedSchema(undefined, { log: true, dialect: 'sqlite' })}${sequenceSql('message', { startAfter: 7, dialect: 'sqlite' })}`;
    for (let twice = 0; twice < 2; twice++) database.exec(sql);
    expect(await missingKeyedSchema(executor, { log: true })).toEqual([]);
    const keyed = new SqlKeyedSource(executor, { log: true });
    expect(await reserve(keyed, ['a', 'b'], 1)).toEqual([8, 8]);
    expect(await reserve(keyed, ['a', 'c'], 1)).toEqual([9, 8]);
  });

  it('is missed at the start, and gets a guard back that is gone', async () => {
    const { database, executor } = await openKeyFile();
    database.exec('DROP TRIGGER id_segment_key_delete');
    expect(await missingKeyedSchema(executor)).toEqual(['guards']);
    await ensureKeyedSchema(executor);
    expect(await missingKeyedSchema(executor)).toEqual([]);
    database.exec('DROP TABLE id_segment_key');
    const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('ensureKeyedSchema') };
    const keyed = new SqlKeyedSource(executor);
    await expect(keyed.describe('message')).rejects.toMatchObject(missing);
    await expect(reserve(keyed, ['a'], 1)).rejects.toMatchObject(missing);
  });

  it('has no rights to grant', () => {
    expect(() => keyedGrants('app', { dialect: 'sqlite' })).toThrow(/no roles and no rights/);
  });

  it('is searched by key, also when SQLite has counted its rows', async () => {
    const { path, database, executor, source } = await openKeyFile();
    const keys = Array.from({ length: 2_000 }, (_, i) => `k${i}`);
    await reserve(source(), keys, 1);
    const plans: string[] = [];
    const explaining = new SqlKeyedSource({
      ...executor,
      execute: (text, values, signal) => {
        // A driver may leave it unfinished, so it has a connection of its own.
        const plan = connectToFile(path)
          .prepare(`EXPLAIN QUERY PLAN ${text}`)
          .all(...values);
        plans.push(plan.map((row) => String(Object(row).detail)).join('\n'));
        return executor.execute(text, values, signal);
      },
    });
    for (const counted of [false, true]) {
      if (counted) database.exec('ANALYZE');
      plans.length = 0;
      await reserve(explaining, ['k1', 'k2', `new ${counted}`], 1);
      const searches = plans.filter((plan) => plan.includes('SEARCH k '));
      expect(searches).toHaveLength(2);
      for (const plan of searches) {
        expect(plan).toContain('SEARCH k USING PRIMARY KEY (sequence_key=? AND family=?)');
      }
    }
  });

  it('answers as one statement where all keys exist', async () => {
    const { executor, source } = await openKeyFile();
    await reserve(source(), ['a', 'b'], 1);
    let statements = 0;
    const counting = new SqlKeyedSource({
      ...executor,
      execute: (...call) => {
        statements += 1;
        return executor.execute(...call);
      },
    });
    await reserve(counting, ['a'], 1);
    statements = 0;
    expect(await reserve(counting, ['a', 'b'], 1)).toEqual([3, 2]);
    expect(statements).toBe(1);
    expect(await reserve(counting, ['a', 'c'], 1)).toEqual([4, 1]);
    expect(statements).toBe(3);
  });
});

describe('deleteKey on SQLite', () => {
  it('deletes a key, which begins above its ids if it is used again', async () => {
    const { database, executor, source } = await openKeyFile({ log: true });
    const keyed = source({ log: true });
    await reserve(keyed, ['gone', 'other'], 10);
    expect(await deleteKey(executor, 'message', 'gone')).toBe(true);
    expect(await keyed.highest('message', 'gone')).toBeUndefined();
    const logged = database.prepare('SELECT sequence_key FROM id_segment_key_log').all();
    expect(logged).toMatchObject([{ sequence_key: Buffer.from('other').toString('hex') }]);
    expect(await deleteKey(executor, 'message', 'gone')).toBe(false);
    const [gone = 0, other, next] = await reserve(keyed, ['gone', 'other', 'next'], 1);
    expect(gone).toBeGreaterThan(10);
    expect(other).toBe(11);
    expect(next).toBe(gone);
    expect(await deleteKey(executor, 'message', 'gone')).toBe(true);
    expect((await reserve(keyed, ['gone'], 1))[0]).toBeGreaterThan(gone);
  });
});

describe('the grant log of keys on SQLite', () => {
  it('is looked for where nothing was reserved, and nothing is reserved without it', async () => {
    const { database, executor, source } = await openKeyFile({ log: true });
    const keyed = source({ log: true });
    await reserve(keyed, ['a'], 10);
    const noLog = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/grant log .*ensureKeyedSchema/) };
    for (const [trigger, key] of [
      ['log', 'a'],
      ['log_new', 'new'],
    ] as const) {
      database.exec(`DROP TRIGGER id_segment_key_${trigger}`);
      await expect(reserve(keyed, [key], 1)).rejects.toMatchObject(noLog);
      await expect(keyed.describe('message')).rejects.toMatchObject(noLog);
      await ensureKeyedSchema(executor, { log: true });
    }
    expect(await reserve(keyed, ['a', 'new'], 1)).toEqual([11, 1]);
  });
});
