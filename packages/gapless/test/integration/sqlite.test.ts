import { copyFileSync, renameSync } from 'node:fs';
import { connectToFile, pathOfFile, SQLITE, SQLITE_DRIVERS } from '@ids/local-services/dialects';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acceptSeries, nextWithin, nextWithinSync, seedWithin, seriesSql } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

const codeOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe.each(SQLITE_DRIVERS)('a number in a file by $driver', ({ open }) => {
  const setUp = async () => {
    const { url, table } = await openNumberDatabase(SQLITE);
    const openHandle = () => {
      const handle = open(pathOfFile(url));
      onTestFinished(() => void handle.close());
      handle.exec('PRAGMA synchronous = EXTRA; PRAGMA busy_timeout = 0');
      return handle;
    };
    return { handle: openHandle(), openHandle, options: { table } };
  };

  it('is taken at once and by a promise, used by the commit and given back by a rollback', async () => {
    const { handle, options } = await setUp();
    const taken = [];
    for (const end of ['ROLLBACK', 'COMMIT', 'COMMIT']) {
      handle.exec('BEGIN IMMEDIATE');
      taken.push(nextWithinSync(handle, 'invoice', 'acme', options));
      taken.push(await nextWithin(handle, 'invoice', 'acme', options));
      handle.exec(end);
    }
    expect(taken).toEqual([1, 2, 1, 2, 3, 4]);
    expect(codeOf(() => nextWithinSync(handle, 'invoice', 'acme', options))).toBe('ERR_IDS_CONFIG');
  });

  it('ends within the deadline while another transaction writes, and then is taken', async () => {
    const { handle, openHandle, options } = await setUp();
    const holder = openHandle();
    holder.exec('BEGIN IMMEDIATE');
    handle.exec('BEGIN');
    const soon = { ...options, deadlineMs: 150 };
    await expect(nextWithin(handle, 'invoice', '', soon)).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    expect(codeOf(() => nextWithinSync(handle, 'invoice', '', soon))).toBe('ERR_IDS_TIMEOUT');
    const next = nextWithin(handle, 'invoice', '', options);
    holder.exec('COMMIT');
    expect(await next).toBe(1);
    handle.exec('COMMIT');
    expect(handle.prepare('PRAGMA busy_timeout').all()).toMatchObject([{ timeout: 0 }]);
  });

  it('is refused where others have written since the transaction has read', async () => {
    const { handle, openHandle, options } = await setUp();
    handle.exec('PRAGMA journal_mode = WAL');
    const other = openHandle();
    handle.exec('BEGIN');
    handle.prepare('SELECT count(*) FROM sqlite_master').all();
    other.exec('CREATE TABLE news (x)');
    await expect(nextWithin(handle, 'invoice', '', options)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('BEGIN IMMEDIATE'),
    });
    expect(codeOf(() => nextWithinSync(handle, 'invoice', '', options))).toBe('ERR_IDS_UNAVAILABLE');
    handle.exec('ROLLBACK');
  });

  it('is refused where it may not write, and where a power cut could take a commit back', async () => {
    const { handle, options } = await setUp();
    const refused = async (setting: string, code: string) => {
      handle.exec(setting);
      handle.exec('BEGIN');
      await expect(nextWithin(handle, 'invoice', '', options), setting).rejects.toMatchObject({ code });
      handle.exec('ROLLBACK');
    };
    await refused('PRAGMA query_only = 1', 'ERR_IDS_CONFIG');
    await refused('PRAGMA query_only = 0; PRAGMA synchronous = FULL', 'ERR_IDS_CONFIG');
    await refused('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL', 'ERR_IDS_CONFIG');
    handle.exec('PRAGMA synchronous = FULL');
    handle.exec('BEGIN');
    expect(await nextWithin(handle, 'invoice', '', options)).toBe(1);
    handle.exec('COMMIT');
  });
});

describe('a file of SQLite with numbers that an older copy has replaced', () => {
  it('refuses the next number, if it is to, until that is accepted', async () => {
    const { url, table, executor, connect } = await openNumberDatabase(SQLITE);
    const path = pathOfFile(url);
    const first = await connect();
    const issue = (caller: typeof first, series = 'invoice') =>
      inTransaction(caller, () => nextWithin(caller.tx, series, '', { table, afterRestore: 'refuse' }));
    await first.run(seriesSql('migrated', { table, dialect: 'sqlite' }));
    expect([await issue(first), await issue(first, 'migrated')]).toEqual([1, 1]);
    copyFileSync(path, `${path}.copy`);
    expect(await issue(first)).toBe(2);
    renameSync(`${path}.copy`, path);
    // The file that is open is seen by nobody else.
    await expect(issue(first)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    const second = await connect();
    for (const series of ['invoice', 'migrated'])
      await expect(issue(second, series)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    await acceptSeries(executor, 'invoice', { table });
    expect(await issue(second)).toBe(2);
  });
});

it('transactions of Drizzle that end at once take numbers, also nested ones', async () => {
  const { url, table } = await openNumberDatabase(SQLITE);
  const db = drizzle(connectToFile(url) as never);
  const next = (tx: unknown) => nextWithinSync(tx, 'invoice', 'acme', { table });
  const taken = db.transaction(
    (tx) => {
      const numbers = [next(tx)];
      const gaveUp = new Error('gave up');
      const nested = () =>
        tx.transaction((inner) => {
          numbers.push(next(inner));
          throw gaveUp;
        });
      expect(nested).toThrow(gaveUp);
      return [...numbers, next(tx)];
    },
    { behavior: 'immediate' },
  );
  expect(taken).toEqual([1, 2, 2]);
  expect(() => next(db)).toThrow(TypeError);
});

it('transactions of @libsql/client take numbers, also through Drizzle', async () => {
  const { url, table, session } = await openNumberDatabase(SQLITE);
  await session.query('PRAGMA journal_mode = WAL');
  const client = createClient({ url: `file:${pathOfFile(url)}` });
  onTestFinished(() => client.close());
  const next = (tx: unknown) => nextWithin(tx, 'invoice', 'acme', { table });
  const ended = [];
  for (const end of ['rollback', 'commit'] as const) {
    const tx = await client.transaction('write');
    expect([await next(tx), await next(tx)]).toEqual([1, 2]);
    await tx[end]();
    ended.push(next(tx).catch(({ code }) => code));
  }
  expect(await Promise.all(ended)).toEqual(['ERR_IDS_CONFIG', 'ERR_IDS_CONFIG']);
  expect(await drizzleLibsql(client).transaction(next)).toBe(3);
  await expect(next(client)).rejects.toThrow(TypeError);
});

it('a transaction of an ORM, which is not taken on SQLite, is not told to begin one', async () => {
  const trx = { isTransaction: true, transaction: () => {} };
  await expect(nextWithin(trx, 'invoice')).rejects.toThrow(/got Object$/);
});

it('a format that SQLite cannot read is refused, and one without a width is read', async () => {
  const { table, invoices, connect } = await openNumberDatabase(SQLITE);
  const caller = await connect();
  await caller.run(`INSERT INTO ${invoices} VALUES ('R.12/2026', 'acme'), ('R.7/2027', 'acme')`);
  const seed = (pattern: RegExp) => {
    const format = { pattern, groups: { number: 1, year: 2 } };
    const from = { table: invoices, column: 'number', keyColumn: 'customer', format, perYear: true };
    return inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table }));
  };
  expect(await seed(/^R\.([1-9][0-9]{0,15})\/([0-9]{4})$/)).toEqual({ keys: 2, highest: 12 });
  for (const pattern of [/^R\.(\d+)\/([0-9]{4})$/, /R/, /^r\.([0-9]{4})$/i])
    await expect(seed(pattern)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
});
