import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { nextWithin, numberGrants, raiseWithin } from '../../src/index.js';
import { asMysqlReads, inTransaction, MARIADB, openCaller, openNumberDatabase } from './number-database.js';

describe.each(SQL_DIALECTS)('the deadline on $server', (kind) => {
  faultTest('names the key, who holds it, since when, and what to do', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const [holder, caller] = [await connect('forgetful-service'), await connect()];
    const next = (key: string, on = caller, deadlineMs = 300) =>
      nextWithin(on.tx, 'invoice', key, { table, deadlineMs });
    await inTransaction(caller, () => next('acme'));
    for (const key of ['acme', 'new']) {
      const expected = key === 'new' ? 1 : 2;
      await injectFault(async () => {
        await holder.run('BEGIN');
        expect(await next(key, holder)).toBe(expected);
      });
      await caller.run('BEGIN');
      const error = await next(key).catch((reason) => reason);
      expect(`${error.code} ${error.message}`).toMatch(
        /^ERR_IDS_TIMEOUT .*"invoice", key "\w+": .*held by process \d+ \((?:.*forgetful-service|ids 127\.0\.0\.1).*idle in transaction, since 20\d\d-.*Z\)\. .*commit at once/,
      );
      // The transaction goes on, with other keys and then with this one.
      expect(await next(`other than ${key}`)).toBe(1);
      await holder.run('ROLLBACK');
      expect(await next(key)).toBe(expected);
      await caller.run('COMMIT');
    }
  });

  faultTest('is that of a key which is raised, too', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const [holder, caller] = [await connect(), await connect()];
    await injectFault(async () => {
      await holder.run('BEGIN');
      await nextWithin(holder.tx, 'invoice', 'acme', { table });
    });
    const raise = inTransaction(caller, () =>
      raiseWithin(caller.tx, 'invoice', 'acme', 9, { table, deadlineMs: 300 }),
    );
    await expect(raise).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    await holder.run('ROLLBACK');
  });

  faultTest('says so if the account may not see who holds what', async () => {
    const { url, table, connect } = await openNumberDatabase(kind);
    const account = await kind.createAccount(url);
    for (const statement of numberGrants(account.name, { table, dialect: kind.dialect }).split(';\n')) {
      if (statement !== '') await account.run(statement);
    }
    const [holder, service] = [await connect('forgetful-service'), await openCaller(account.url)];
    await injectFault(async () => {
      await holder.run('BEGIN');
      await nextWithin(holder.tx, 'invoice', '', { table });
    });
    await service.run('BEGIN');
    const error = await nextWithin(service.tx, 'invoice', '', { table, deadlineMs: 300 }).catch(
      (reason) => reason,
    );
    expect(`${error.code} ${error.message}`).toMatch(
      kind.dialect === 'postgres'
        ? /^ERR_IDS_TIMEOUT .* held by process \d+ \(forgetful-service \w+\)\. /
        : /^ERR_IDS_TIMEOUT .*may not see by whom/,
    );
    await service.run('ROLLBACK');
    await service.end();
    await holder.run('ROLLBACK');
    await account.close();
  });
});

describe('a server that rolls back at the end of a wait for a lock', () => {
  /** `limit`: of MariaDB, or of the session, as MySQL has it. */
  const setUp = async (limit: 'MariaDB' | 'session') => {
    const database = await MARIADB.start({ innodb_rollback_on_timeout: 'ON' });
    onTestFinished(() => database.close());
    const { table, connect } = await openNumberDatabase(MARIADB, { url: database.url });
    const [holder, caller] = [await connect(), await connect()];
    const run = (text: string) => caller.run(limit === 'session' ? asMysqlReads(text) : text);
    const next = (deadlineMs = 10_000) =>
      nextWithin({ dialect: 'mysql', run }, 'invoice', '', { table, deadlineMs });
    await caller.run('SET innodb_lock_wait_timeout = 1');
    await inTransaction(caller, () => next());
    await injectFault(async () => {
      await holder.run('BEGIN');
      await nextWithin(holder.tx, 'invoice', '', { table });
    });
    await caller.run('BEGIN');
    return { holder, caller, next };
  };

  faultTest('leaves the transaction open, since another limit of MariaDB comes first', async () => {
    const { holder, caller, next } = await setUp('MariaDB');
    await expect(next(300)).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringContaining('is still open'),
    });
    await holder.run('ROLLBACK');
    expect(await next()).toBe(2);
    await caller.run('COMMIT');
  });

  faultTest('says so where it is the only limit, as on MySQL, and takes no number after it', async () => {
    const { holder, caller, next } = await setUp('session');
    await expect(next()).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringContaining('rolled your transaction back (innodb_rollback_on_timeout)'),
    });
    await holder.run('ROLLBACK');
    await expect(next()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(await inTransaction(caller, () => next())).toBe(2);
  });
});
