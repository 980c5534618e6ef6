import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextWithin, numberGrants } from '../../src/index.js';
import { type Caller, inTransaction, openCaller, openNumberDatabase } from './number-database.js';

describe.each(ALL_DIALECTS)('misuse on $server', (kind) => {
  it('outside a transaction is refused, and takes no number', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const next = (key = '') => nextWithin(caller.tx, 'invoice', key, { table });
    const refused = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('no transaction is open') };
    await expect(next()).rejects.toMatchObject(refused);
    expect(await inTransaction(caller, () => next())).toBe(1);
    // Also of a key that has numbers, right after a transaction.
    await expect(next()).rejects.toMatchObject(refused);
    await expect(next('new')).rejects.toMatchObject(refused);
    expect(await inTransaction(caller, () => next())).toBe(2);
    expect(await inTransaction(caller, () => next('new'))).toBe(1);
  });

  it.skipIf(kind.dialect === 'sqlite')(
    'is refused if the transaction ends while the number is asked for',
    async () => {
      const { table, connect } = await openNumberDatabase(kind);
      const caller = await connect();
      await caller.run('BEGIN');
      const [number] = await Promise.allSettled([
        nextWithin(caller.tx, 'invoice', '', { table }),
        caller.run('COMMIT'),
      ]);
      expect(number).toMatchObject({ status: 'rejected', reason: { code: 'ERR_IDS_CONFIG' } });
      expect(await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', '', { table }))).toBe(1);
    },
  );

  it.skipIf(kind.dialect === 'sqlite')('is refused behind a COMMIT that was not waited for', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const next = () => nextWithin(caller.tx, 'invoice', '', { table });
    expect(await inTransaction(caller, next)).toBe(1);
    await caller.run('BEGIN');
    const [, number] = await Promise.allSettled([caller.run('COMMIT'), next()]);
    expect(number).toMatchObject({ status: 'rejected', reason: { code: 'ERR_IDS_CONFIG' } });
    expect(await inTransaction(caller, next)).toBe(2);
  });

  it.skipIf(kind.dialect === 'sqlite')('in a read-only transaction is refused', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    await caller.run('START TRANSACTION READ ONLY');
    await expect(nextWithin(caller.tx, 'invoice', '', { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('read-only'),
    });
    await caller.run('ROLLBACK');
  });

  it('is refused for a series that nobody created, a table that is missing, and rights that lack', async () => {
    const { url, table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const refusal = (next: () => Promise<number>, on: Caller = caller) =>
      inTransaction(on, next).then(String, (error) => `${error.code} ${error.message}`);
    expect(await refusal(() => nextWithin(caller.tx, 'invoices', '', { table }))).toMatch(
      /^ERR_IDS_CONFIG .*no series "invoices"; create it with createSeries/,
    );
    expect(await refusal(() => nextWithin(caller.tx, 'invoice', '', { table: 'nowhere' }))).toMatch(
      /^ERR_IDS_CONFIG .*nowhere.*create the tables with ensureNumberSchema/,
    );
    if (kind.dialect === 'sqlite') return;
    const account = await kind.createAccount(url);
    onTestFinished(() => account.close());
    // MariaDB lets nobody into a database who has no right in it.
    await account.run(
      kind.dialect === 'mysql' ? `GRANT SELECT ON ${table}_invoice TO ${account.name}` : 'SELECT 1',
    );
    const service = await openCaller(account.url);
    const next = () => nextWithin(service.tx, 'invoice', '', { table });
    expect(await refusal(next, service)).toMatch(/^ERR_IDS_CONFIG .*numberGrants/);
    const grants = numberGrants(account.name, { table, dialect: kind.dialect });
    for (const statement of grants.split(';\n').filter(Boolean)) await account.run(statement);
    expect([await refusal(next, service), await refusal(next, service)]).toEqual(['1', '2']);
    for (const statement of [
      `DELETE FROM ${table}`,
      `INSERT INTO ${table}_series (series) VALUES ('mine')`,
    ]) {
      await expect(service.run(statement), statement).rejects.toThrow(/denied/);
    }
  });

  it('keeps the rows from being lowered, renamed and deleted', async () => {
    const { table, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    for (let i = 0; i < 2; i++)
      await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', 'a', { table }));
    for (const statement of [
      `UPDATE ${table} SET last_number = 1`,
      `UPDATE ${table} SET sequence_key = 'b'`,
      `DELETE FROM ${table}`,
      `DELETE FROM ${table}_series`,
    ]) {
      await expect(session.query(statement), statement).rejects.toThrow(
        /rejected|guard|foreign key|violates/i,
      );
    }
    expect(await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', 'a', { table }))).toBe(3);
  });
});
