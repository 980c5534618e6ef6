import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  deleteKey,
  ensureKeyedSchema,
  keyedGrants,
  keyedSchema,
  missingKeyedSchema,
  whoIssued,
} from '../../src/sql/index.js';
import { openExecutor, openKeyDatabase, openSource, reserve } from './key-database.js';

describe.each(ALL_DIALECTS)('the grant log of keys on $server', (kind) => {
  it('says who reserved an id of a key, and when', async () => {
    const { executor, source, table } = await openKeyDatabase(kind, { log: true, startAfter: 5 });
    const one = await source({ log: true, owner: 'desk 1' });
    const other = await source({ log: true, owner: 'desk 2 é' });
    await one.describe('message');
    await reserve(one, ['a', 'b'], 10);
    await reserve(other, ['b', 'a', 'c'], 3);
    const who = (key: string, id: number) => whoIssued(executor, 'message', key, id, { table });
    const grantedAt = expect.any(Date);
    expect(await who('a', 15)).toEqual({
      status: 'granted',
      grants: [{ low: 6, high: 15, owner: 'desk 1', grantedAt }],
    });
    for (const [key, low, high] of [
      ['a', 16, 18],
      ['b', 16, 18],
      ['c', 6, 8],
    ] as const) {
      const grants = [{ low, high, owner: 'desk 2 é', grantedAt }];
      expect(await who(key, high), key).toEqual({ status: 'granted', grants });
    }
    expect(await who('a', 19)).toEqual({ status: 'not-drawn' });
    expect(await who('a', 5)).toEqual({ status: 'before-log' });
    // Without `log`, nothing is written.
    await reserve(await source(), ['a'], 10);
    expect(await who('a', 20)).toEqual({ status: 'not-logged' });
    await expect(who('never', 1)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    await expect(who('a', 0)).rejects.toThrow(RangeError);
  });

  it('is created only where it was asked for, also later', async () => {
    const { executor, source, table } = await openKeyDatabase(kind);
    await reserve(await source(), ['a']);
    const logging = await source({ log: true });
    const missing = {
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/grant log .*ensureKeyedSchema/),
    };
    await expect(logging.describe('message')).rejects.toMatchObject(missing);
    expect(await missingKeyedSchema(executor, { table, log: true })).toEqual(['log']);
    await ensureKeyedSchema(executor, { table, log: true });
    expect(await missingKeyedSchema(executor, { table, log: true })).toEqual([]);
    await logging.describe('message');
    expect(await reserve(logging, ['a'], 1)).toEqual([11]);
    expect(await whoIssued(executor, 'message', 'a', 11, { table })).toMatchObject({ status: 'granted' });
  });

  faultTest('is missed by a reservation that finds it gone', async () => {
    const { source, session, keys } = await openKeyDatabase(kind, { log: true });
    const keyed = await source({ log: true });
    await reserve(keyed, ['a']);
    await injectFault(() => session.query(GONE[kind.dialect].replaceAll('%k', keys)));
    await expect(reserve(keyed, ['a'])).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('ensureKeyedSchema'),
    });
  });

  // A file has no accounts, is restored as a whole, and keys are digits in it.
  if (kind.dialect === 'sqlite') return;

  it('is created by the SQL of a migration', async () => {
    const { executor, url, session, keys, table } = await openKeyDatabase(kind);
    await session.query(`DROP TABLE ${keys}`);
    const sql = keyedSchema(table, { log: true, dialect: kind.dialect });
    if (kind.dialect === 'postgres') await session.query(sql);
    else
      for (const statement of sql.split(';\n').filter((text) => text.trim())) await session.query(statement);
    expect(await missingKeyedSchema(executor, { table, log: true })).toEqual([]);
    expect(await reserve(await openSource(url, { table, log: true }), ['a'])).toEqual([10]);
  });

  it('loses what is about a key together with the key', async () => {
    const { executor, source, session, table, keys } = await openKeyDatabase(kind, { log: true });
    const keyed = await source({ log: true });
    await reserve(keyed, ['gone', 'other']);
    await deleteKey(executor, 'message', 'gone', { table });
    const left = await session.query(`SELECT sequence_key FROM ${keys}_log`);
    expect(left.map(({ sequence_key }) => String(sequence_key))).toEqual(['other']);
  });

  it('is written by an account that cannot read it, nor delete from it', async () => {
    const { executor, url, table, keys } = await openKeyDatabase(kind, { log: true });
    const account = await kind.createAccount(url);
    onTestFinished(() => account.close());
    const grant = async (deleteKeys: boolean) => {
      const sql = keyedGrants(account.name, { table, log: true, deleteKeys, dialect: kind.dialect });
      for (const statement of sql.split(';\n').filter(Boolean)) await account.run(statement);
    };
    await grant(false);
    const service = await openSource(account.url, { table, log: true, owner: 'desk 3' });
    const session = kind.connect(account.url);
    onTestFinished(() => session.end());
    await service.describe('message');
    expect(await reserve(service, ['a', 'b'])).toEqual([10, 10]);
    expect(await reserve(service, ['a', 'b'])).toEqual([20, 20]);
    for (const statement of [`SELECT * FROM ${keys}_log`, `DELETE FROM ${keys}_log`]) {
      await expect(session.query(statement), statement).rejects.toThrow(/denied/);
    }
    expect(await whoIssued(executor, 'message', 'a', 11, { table })).toMatchObject({
      grants: [{ owner: 'desk 3' }],
    });
    await grant(true);
    const deleting = await openExecutor(account.url);
    expect(await deleteKey(deleting, 'message', 'a', { table })).toBe(true);
  });

  faultTest('shows both grants of ids that a restored table has reserved again', async () => {
    const { url, executor, source, table, keys } = await openKeyDatabase(kind, { log: true });
    const skips = { afterFailover: 0, afterRestore: 0 };
    const before = await source({ log: true, owner: 'before', ...skips });
    await reserve(before, ['a']);
    const dump = await kind.dumpTable(url, keys);
    await reserve(before, ['a']);
    await injectFault(() => dump.restoreTo(url));
    expect(await reserve(await source({ log: true, owner: 'after', ...skips }), ['a'])).toEqual([20]);
    expect(await whoIssued(executor, 'message', 'a', 11, { table })).toMatchObject({
      status: 'granted',
      grants: [{ owner: 'after' }, { owner: 'before' }],
    });
  });
});

/** How a log can be lost: elsewhere, its triggers can be gone alone, and the reservation does not fail. */
const GONE = { postgres: 'DROP TABLE %k_log', mysql: 'DROP TRIGGER %k_log', sqlite: 'DROP TRIGGER %k_log' };
