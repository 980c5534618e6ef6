import { dumpTable, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import {
  createSequence,
  ensureReserveProcedure,
  ensureSchema,
  lacksReserveProcedure,
  type ReserveProcedureOptions,
  reserveProcedureSql,
  SqlSegmentSource,
  segmentGrants,
  whoIssued,
} from '../../src/sql/index.js';
import { openMysqlDatabase } from './mysql-database.js';
import { connect, openDatabase, openPoolAs, type TestDatabase } from './sql-database.js';

const SKIP = 1_000;

interface Installed extends TestDatabase {
  /** Reserves through the procedure. */
  readonly call: (n: number, name?: string, on?: pg.Pool | pg.PoolClient) => Promise<Record<string, unknown>>;
}

async function openInstalled(options: ReserveProcedureOptions = {}): Promise<Installed> {
  const database = await openDatabase();
  const { pool, executor, schema, table } = database;
  await ensureSchema(executor, { table, log: options.log });
  await createSequence(executor, 'order', { table });
  await ensureReserveProcedure(executor, { table, afterRestore: SKIP, ...options });
  const call: Installed['call'] = async (n, name = 'order', on = pool) =>
    (await on.query(`CALL ${schema}.ids_reserve($1, $2)`, [name, n])).rows[0];
  return { ...database, call };
}

describe('ids_reserve', () => {
  it('reserves segments that no generator beside it gets, also called by many', async () => {
    const { executor, table, call } = await openInstalled();
    const source = new SqlSegmentSource(executor, { table });
    const segments = await Promise.all(
      Array.from({ length: 60 }, async (_, i) =>
        i % 2 === 0 ? call(1 + (i % 7)) : source.reserve('order', 5),
      ),
    );
    const ids = segments.flatMap(({ low, high }) =>
      Array.from({ length: Number(high) - Number(low) + 1 }, (_, i) => Number(low) + i),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(Math.max(...ids));
  });

  it('fails inside a transaction and changes nothing; without that, ids would repeat after a rollback', async () => {
    const { pool, schema, table, call } = await openInstalled();
    const client = await connect(pool);
    const refused = { code: '2D000' };
    await client.query('BEGIN');
    await expect(call(10, 'order', client)).rejects.toMatchObject(refused);
    await client.query('ROLLBACK');
    await expect(
      client.query(`BEGIN; CALL ${schema}.ids_reserve('order', 10); ROLLBACK`),
    ).rejects.toMatchObject(refused);
    await client.query('ROLLBACK');
    await expect(client.query(`CALL ${schema}.ids_reserve('order', 10); SELECT 1`)).rejects.toMatchObject(
      refused,
    );
    await client.query('BEGIN; SAVEPOINT one');
    await expect(call(10, 'order', client)).rejects.toMatchObject(refused);
    await client.query('ROLLBACK');
    expect((await pool.query(`SELECT max_id FROM ${table}`)).rows).toEqual([{ max_id: '0' }]);

    const { rows } = await pool.query(`SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure($1)`, [
      `${schema}.ids_reserve(text, integer, bigint, bigint)`,
    ]);
    const careless = String(rows[0].prosrc).replaceAll('COMMIT;', '');
    expect(careless).not.toBe(rows[0].prosrc);
    await pool.query(
      `CREATE OR REPLACE PROCEDURE ${schema}.ids_reserve(name text, n integer, INOUT low bigint DEFAULT NULL, INOUT high bigint DEFAULT NULL) LANGUAGE plpgsql AS $mutant$${careless}$mutant$`,
    );
    await client.query('BEGIN');
    const first = await call(10, 'order', client);
    await client.query('ROLLBACK');
    expect(await call(10)).toEqual(first);
  });

  faultTest('notices a restore, skips what a generator would, and says why it refuses', async () => {
    const { executor, pool, schema, table, call } = await openInstalled();
    await call(100);
    const dump = await dumpTable(inject('databaseUrl'), table);
    await call(50);
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    expect(await call(10)).toEqual({ low: String(101 + SKIP), high: String(110 + SKIP) });
    expect(await call(10)).toEqual({ low: String(111 + SKIP), high: String(120 + SKIP) });

    await ensureReserveProcedure(executor, { table, afterRestore: 'refuse' });
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    await expect(call(10)).rejects.toThrow(/setFloor/);
    expect((await pool.query(`SELECT max_id FROM ${schema}.id_segment`)).rows).toEqual([{ max_id: '100' }]);
  });

  it('commits durably where the role does not, and needs no more rights than a service', async () => {
    const { pool, schema, table, call } = await openInstalled();
    const role = uniqueName('role');
    const service = await openPoolAs(role);
    await pool.query(`ALTER ROLE ${role} SET synchronous_commit = off`);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await expect(call(1, 'order', service)).rejects.toMatchObject({ code: '42501' });
    await pool.query(segmentGrants(role, { table }));
    // A trigger sees with which setting the transaction of the reservation will commit.
    await pool.query(`CREATE FUNCTION ${schema}.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'commits with %', current_setting('synchronous_commit'); END $$;
      CREATE CONSTRAINT TRIGGER seen AFTER UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION ${schema}.seen()`);
    await expect(call(3, 'order', service)).rejects.toThrow('commits with on');
    await pool.query(`DROP TRIGGER seen ON ${table}`);
    expect(await call(3, 'order', service)).toEqual({ low: '1', high: '3' });
  });

  it('writes the grant log', async () => {
    const { executor, pool, table, call } = await openInstalled({ log: true });
    const client = await connect(pool);
    await client.query(`SET application_name = 'billing in Go'`);
    await call(10, 'order', client);
    expect(await whoIssued(executor, 'order', 7, { table })).toMatchObject({
      status: 'granted',
      grants: [{ low: 1, high: 10, owner: 'billing in Go' }],
    });
  });

  it('numbers tickets by their day, and says when there is no room', async () => {
    const { executor, table, call } = await openInstalled();
    await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: 'UTC' } });
    expect(String((await call(5, 'ticket')).low)).toMatch(/^20\d{6}00000001$/);
    await expect(call(99_999_999, 'ticket')).rejects.toMatchObject({ code: '2200H' });
  });

  it.each([
    ['nothing', 5, 'has no sequence nothing'],
    ['order', 0, 'from 1 to 1000000000, got order and 0'],
    [null, 1, 'from 1 to'],
  ])('says what is wrong with %s, %s', async (name, n, message) => {
    const { pool, schema } = await openInstalled();
    await expect(pool.query(`CALL ${schema}.ids_reserve($1, $2)`, [name, n])).rejects.toThrow(message);
  });
});

describe('ensureReserveProcedure', () => {
  it('creates it once, brings it up to date, and as SQL does the same', async () => {
    const { pool, executor, table } = await openDatabase();
    expect(await lacksReserveProcedure(executor, { table })).toBe(true);
    await pool.query(reserveProcedureSql({ table }));
    expect(await lacksReserveProcedure(executor, { table })).toBe(false);
    expect(await lacksReserveProcedure(executor, { table, afterRestore: 5 })).toBe(true);
    await Promise.all([1, 2].map(() => ensureReserveProcedure(executor, { table, afterRestore: 5 })));
    expect(await lacksReserveProcedure(executor, { table, afterRestore: 5 })).toBe(false);
  });

  it('leaves a routine of somebody else alone, and one for another table', async () => {
    const { pool, executor, schema, table } = await openDatabase();
    const other = `${schema}.other`;
    await ensureSchema(executor, { table: other });
    await ensureReserveProcedure(executor, { table: other });
    const refused = {
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(`\\bids_reserve\\b.*\\b${table}\\b`),
    };
    await expect(ensureReserveProcedure(executor, { table })).rejects.toMatchObject(refused);
    await pool.query(`DROP PROCEDURE ${schema}.ids_reserve`);
    await pool.query(
      `CREATE FUNCTION ${schema}.ids_reserve(text, integer, bigint, bigint) RETURNS int LANGUAGE sql AS 'SELECT 7'`,
    );
    await expect(ensureReserveProcedure(executor, { table })).rejects.toMatchObject(refused);
    expect((await pool.query(`SELECT ${schema}.ids_reserve('', 1, 1, 1) AS it`)).rows).toEqual([{ it: 7 }]);
  });

  it('refuses a table that does not exist, one of an older version, and MariaDB', async () => {
    const { pool, executor, schema, table } = await openDatabase();
    const refusal = (message: RegExp) => ({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(message),
    });
    await expect(ensureReserveProcedure(executor, { table: `${schema}.none` })).rejects.toMatchObject(
      refusal(/ensureSchema/),
    );
    await pool.query(`DROP TRIGGER id_segment_reign ON ${table}; ALTER TABLE ${table} DROP timeline`);
    await expect(ensureReserveProcedure(executor, { table })).rejects.toMatchObject(refusal(/ensureSchema/));
    const mysql = await openMysqlDatabase();
    await expect(ensureReserveProcedure(mysql.executor, { table: mysql.table })).rejects.toMatchObject(
      refusal(/MariaDB/),
    );
  });
});
