import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  segmentGrants,
  whoIssued,
} from '../../src/sql/index.js';
import { openDatabase, openPoolAs, type TestDatabase } from './sql-database.js';

/** A service whose role has no rights but those of `segmentGrants`. */
async function openService(): Promise<
  TestDatabase & { readonly service: pg.Pool; readonly source: SqlSegmentSource }
> {
  const database = await openDatabase();
  const { executor, pool, table, schema: role } = database;
  await ensureSchema(executor, { table, log: true });
  await createSequence(executor, 'order', { table });
  await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: 'Asia/Shanghai' } });
  const service = await openPoolAs(pool, role);
  await pool.query(segmentGrants(role, { table, log: true }));
  return { ...database, service, source: new SqlSegmentSource(fromPg(service), { table, log: true }) };
}

describe('segmentGrants', () => {
  it('lets a service do its daily work', async () => {
    const { source } = await openService();
    await source.describe('order');
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5 });
    expect((await source.reserve('order', 5, { floor: 50 })).low).toBe(51);
    expect((await source.reserve('ticket', 5)).high % 100).toBe(5);
  });

  it.each([
    ['create a sequence', `INSERT INTO %t (server_name) VALUES ('mine')`],
    ['delete one', `DELETE FROM %t`],
    ['empty the table', 'TRUNCATE %t'],
    ['rename one', `UPDATE %t SET server_name = 'other'`],
    ['change its time zone', `UPDATE %t SET time_zone = 'UTC'`],
    ['change its realm', 'UPDATE %t SET realm = gen_random_uuid()'],
    ['lower max_id', 'UPDATE %t SET max_id = 1'],
    ['take the guard off', 'ALTER TABLE %t DISABLE TRIGGER USER'],
    ['read the log', 'SELECT * FROM %t_log'],
    ['change the log', `UPDATE %t_log SET owner = 'somebody else'`],
    ['delete from the log', 'DELETE FROM %t_log'],
    [
      'choose the time in the log',
      `INSERT INTO %t_log (server_name, low, high, owner, granted_at) VALUES ('order', 1, 1, 'me', '2000-01-01')`,
    ],
  ])('does not let it %s', async (_what, statement) => {
    const { service, source, table } = await openService();
    await source.reserve('order', 5);
    await expect(service.query(statement.replaceAll('%t', table))).rejects.toThrow(
      /permission denied|must be owner|refused/,
    );
  });

  it('leaves whoIssued to a role that may read both tables', async () => {
    const { executor, pool, service, source, table, schema } = await openService();
    await source.reserve('order', 5);
    await expect(whoIssued(fromPg(service), 'order', 3, { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
    });
    const auditor = await openPoolAs(pool, `${schema}_auditor`);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}_auditor`);
    await pool.query(`GRANT SELECT ON ${table}, ${table}_log TO ${schema}_auditor`);
    expect(await whoIssued(fromPg(auditor), 'order', 3, { table })).toEqual(
      await whoIssued(executor, 'order', 3, { table }),
    );
  });

  it('gives nothing for a log that is not there', () => {
    expect(segmentGrants('app')).toBe(
      'GRANT SELECT (server_name, max_id, realm, group_by, time_zone, system_id, timeline, last_xact, noticed, xmin), ' +
        'UPDATE (max_id, system_id, timeline, last_xact, noticed) ON "id_segment" TO "app";\n',
    );
  });

  it.each(['', 'a"; DROP TABLE b; --', 'a.b'])('refuses the role %j', (role) => {
    expect(() => segmentGrants(role)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
  });
});
