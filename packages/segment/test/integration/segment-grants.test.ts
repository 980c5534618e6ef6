import type pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  lackingRights,
  openSqlSource,
  SqlSegmentSource,
  segmentGrants,
  whoIssued,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { DIALECTS } from './dialects.js';
import { openDatabase, openPool, openPoolAs, type TestDatabase } from './sql-database.js';

/** What is skipped by default above a floor that the table was below. */
const SKIP = 10_000_000;

/** A service whose role has no rights but those of `segmentGrants`. */
async function openService(): Promise<
  TestDatabase & { readonly service: pg.Pool; readonly source: SqlSegmentSource }
> {
  const database = await openDatabase();
  const { executor, pool, table, schema: role } = database;
  await ensureSchema(executor, { table, log: true });
  await createSequence(executor, 'order', { table });
  await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: 'Asia/Shanghai' } });
  const service = await openPoolAs(role);
  await pool.query(segmentGrants(role, { table, log: true }));
  return { ...database, service, source: new SqlSegmentSource(fromPg(service), { table, log: true }) };
}

/** What only the owner of a table may do, and how the server refuses what an account has no right to. */
const RIGHTS: Record<'postgres' | 'mysql', { owner: [string, string][]; refused: RegExp }> = {
  postgres: {
    owner: [['take the guard off', 'ALTER TABLE %t DISABLE TRIGGER USER']],
    refused: /permission denied|must be owner|rejected/,
  },
  mysql: {
    owner: [
      ['take a guard off', 'DROP TRIGGER %t_delete'],
      ['take the other guard off', 'ALTER TABLE %t DROP CONSTRAINT id_segment_guard'],
      ['add a guard of its own', 'CREATE TRIGGER %t_mine BEFORE UPDATE ON %t FOR EACH ROW SET @a = 1'],
      ['change what keeps its name', `UPDATE %t SET named = 'other'`],
      ['lock the whole table', 'LOCK TABLES %t WRITE'],
    ],
    refused: /denied|constraint/i,
  },
};

describe.each(DIALECTS)('an account on $server with the rights of segmentGrants, and no others,', (kind) => {
  const { owner, refused } = RIGHTS[kind.dialect];

  async function openService() {
    const { executor, table, schema, url } = await kind.open({ log: true });
    await createSequence(executor, 'order', { table });
    await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: '+08:00' } });
    const account = await kind.createAccount(url);
    const service = kind.connect(account.url, 2);
    const source = await openSqlSource({ database: account.url, table, log: true, afterRestore: SKIP });
    onTestFinished(async () => {
      await Promise.all([service.end(), source.close()]);
      await account.close();
    });
    const grants = segmentGrants(account.name, { table, log: true, dialect: kind.dialect });
    for (const grant of grants.split(/;\n/).filter(Boolean)) await account.run(grant);
    return { service, source, table, schema };
  }

  it('does the daily work of a service', async () => {
    const { source } = await openService();
    await source.describe('order');
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5, origin });
    expect((await source.reserve('order', 5, { floor: 50 })).low).toBe(51 + SKIP);
    expect((await source.reserve('ticket', 5)).high % 100).toBe(5);
  });

  it.each([
    ['create a sequence', `INSERT INTO %t (server_name) VALUES ('mine')`],
    ['delete one', `DELETE FROM %t`],
    ['empty the table', 'TRUNCATE TABLE %t'],
    ['drop the table', 'DROP TABLE %t'],
    ['rename one', `UPDATE %t SET server_name = 'other'`],
    ['change its time zone', `UPDATE %t SET time_zone = 'UTC'`],
    ['change its realm', `UPDATE %t SET realm = '5a8e7c1e-0000-4000-8000-000000000000'`],
    ['lower max_id', 'UPDATE %t SET max_id = 1'],
    ['read the log', 'SELECT * FROM %t_log'],
    ['change the log', `UPDATE %t_log SET owner = 'somebody else'`],
    ['delete from the log', 'DELETE FROM %t_log'],
    [
      'choose the time in the log',
      `INSERT INTO %t_log (server_name, low, high, owner, granted_at) VALUES ('order', 1, 1, 'me', '2000-01-01')`,
    ],
    ...owner,
  ])('cannot %s', async (_what, statement) => {
    const { service, source, table } = await openService();
    await source.reserve('order', 5);
    await expect(service.query(statement.replaceAll('%t', table))).rejects.toThrow(refused);
    expect(await source.reserve('order', 5)).toEqual({ low: 6, high: 10, origin });
  });
});

describe('lackingRights', () => {
  it('names each right that a role lacks, and the statements that grant all', async () => {
    const { executor, pool, table, schema: role } = await openDatabase();
    const log = true;
    await ensureSchema(executor, { table, log });
    const service = fromPg(await openPoolAs(role));
    const grants = segmentGrants(role, { table, log });
    const find = () => lackingRights(service, { table, log });
    expect(await find()).toEqual({
      role,
      needed: [`USAGE on schema "${role}"`],
      forGuard: [],
      grants: grants.trimEnd().replaceAll('\n', ' '),
    });
    await pool.query(
      `GRANT USAGE ON SCHEMA ${role} TO ${role}; GRANT SELECT (max_id, xmin) ON ${table} TO ${role}`,
    );
    expect(await find()).toMatchObject({
      needed: [
        'SELECT (group_by, realm, server_name, time_zone)',
        'UPDATE (max_id)',
        `INSERT (high, low, owner, server_name) on ${table}_log`,
      ],
      forGuard: [
        'SELECT (database_id, last_xact, minute_began, minute_ids, noticed, peak_rate, reigns, reigns_lost, seconds_lost, system_id, timeline)',
        'UPDATE (database_id, last_xact, minute_began, minute_ids, noticed, peak_rate, reigns, reigns_lost, seconds_lost, system_id, timeline)',
      ],
    });
    await pool.query((await find()).grants);
    expect(await find()).toMatchObject({ needed: [], forGuard: [] });
  });

  it('knows rights on the whole table, and those of the owner', async () => {
    const { executor, pool, table, schema: role } = await openDatabase();
    expect(await lackingRights(executor, { table })).toMatchObject({ needed: [], forGuard: [] });
    const service = fromPg(await openPoolAs(role));
    await pool.query(`GRANT USAGE ON SCHEMA ${role} TO ${role}; GRANT SELECT, UPDATE ON ${table} TO ${role}`);
    expect(await lackingRights(service, { table })).toMatchObject({ needed: [], forGuard: [] });
  });

  it('quotes a role whose name is no plain one', async () => {
    const { pool, table, schema } = await openDatabase();
    const role = `${schema}-"app"`;
    await pool.query(`CREATE ROLE "${schema}-""app""" LOGIN PASSWORD 'secret'`);
    onTestFinished(async () => {
      await pool.query(`DROP OWNED BY "${schema}-""app"""; DROP ROLE "${schema}-""app"""`);
    });
    const url = new URL(inject('databaseUrl'));
    url.username = encodeURIComponent(role);
    url.password = 'secret';
    const service = fromPg(openPool({ connectionString: url.href }));
    const { grants } = await lackingRights(service, { table });
    await pool.query(grants);
    expect(await lackingRights(service, { table })).toMatchObject({ role, needed: [], forGuard: [] });
  });
});

describe('segmentGrants', () => {
  it('leaves whoIssued to a role that may read both tables', async () => {
    const { executor, pool, service, source, table, schema } = await openService();
    await source.reserve('order', 5);
    await expect(whoIssued(fromPg(service), 'order', 3, { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
    });
    const auditor = await openPoolAs(`${schema}_auditor`);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}_auditor`);
    await pool.query(`GRANT SELECT ON ${table}, ${table}_log TO ${schema}_auditor`);
    expect(await whoIssued(fromPg(auditor), 'order', 3, { table })).toEqual(
      await whoIssued(executor, 'order', 3, { table }),
    );
  });

  it('gives nothing for a log that is not there', () => {
    expect(segmentGrants('app')).toBe(
      'GRANT SELECT (server_name, max_id, realm, group_by, time_zone, system_id, timeline, last_xact, noticed, database_id, reigns, minute_began, minute_ids, peak_rate, seconds_lost, reigns_lost, xmin), ' +
        'UPDATE (max_id, system_id, timeline, last_xact, noticed, database_id, reigns, minute_began, minute_ids, peak_rate, seconds_lost, reigns_lost) ON "id_segment" TO "app";\n',
    );
  });

  it.each(['', 'a"; DROP TABLE b; --', 'a.b'])('refuses the role %j', (role) => {
    expect(() => segmentGrants(role)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
  });
});
