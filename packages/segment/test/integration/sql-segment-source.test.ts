import { uniqueName } from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  missingSchema,
  type SqlResult,
  SqlSegmentSource,
  segmentSchema,
  sequenceSql,
  setFloor,
} from '../../src/sql/index.js';
import { segmentSourceContract } from '../segment-source-contract.js';
import { connect, openDatabase, openPoolAs, untilLocked } from './sql-database.js';

describe('SqlSegmentSource over Postgres', () => {
  segmentSourceContract(async () => {
    const { executor, table } = await openDatabase();
    return {
      source: new SqlSegmentSource(executor, { table }),
      createSequence: (name, startAfter) => createSequence(executor, name, { startAfter, table }),
    };
  });

  it('reserves disjoint ranges where transactions are serializable by default', async () => {
    const { executor, pool, table, schema } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const strict = await openPoolAs(schema, 'SUPERUSER');
    await pool.query(`ALTER ROLE ${schema} SET default_transaction_isolation = 'serializable'`);
    expect((await strict.query('SHOW transaction_isolation')).rows).toEqual([
      { transaction_isolation: 'serializable' },
    ]);
    const source = new SqlSegmentSource(fromPg(strict), { table });
    const segments = await Promise.all(Array.from({ length: 12 }, () => source.reserve('order', 10)));
    expect(new Set(segments.map(({ low }) => low)).size).toBe(12);
  });

  it('mends only as far as maxJump', async () => {
    const { executor, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table, maxJump: 100 });
    await expect(source.reserve('order', 1, { floor: 101 })).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
    });
    expect((await source.reserve('order', 1, { floor: 100 })).low).toBe(101);
    expect(() => new SqlSegmentSource(executor, { maxJump: -1 })).toThrow(RangeError);
  });

  it('says that the table is missing and how to make it', async () => {
    const { executor, schema } = await openDatabase();
    const table = `${schema}.other`;
    const source = new SqlSegmentSource(executor, { table });
    const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/other.*ensureSchema/) };
    await expect(source.describe('order')).rejects.toMatchObject(missing);
    await expect(source.reserve('order', 1)).rejects.toMatchObject(missing);
    await expect(createSequence(executor, 'order', { table })).rejects.toMatchObject(missing);
    await expect(setFloor(executor, 'order', 1, { table })).rejects.toMatchObject(missing);
  });

  it('says that a sequence is missing when its floor is to be set', async () => {
    const { executor, table } = await openDatabase();
    await expect(setFloor(executor, 'order', 5, { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('createSequence'),
    });
  });

  it('refuses a table that a crash would empty', async () => {
    const { executor, pool, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    await pool.query(`ALTER TABLE ${table} SET UNLOGGED`);
    await expect(new SqlSegmentSource(executor, { table }).describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('not a permanent table'),
    });
  });

  it('needs only SELECT, and UPDATE of max_id, for its daily work', async () => {
    const { executor, pool, table, schema } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const modest = fromPg(await openPoolAs(schema));
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    await pool.query(`GRANT SELECT, UPDATE (max_id) ON ${table} TO ${schema}`);
    const source = new SqlSegmentSource(modest, { table });
    await source.describe('order');
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5 });
    expect((await source.reserve('order', 5, { floor: 50 })).low).toBe(51);
    await expect(createSequence(modest, 'ticket', { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('lacks a right'),
    });
  });
});

describe('ensureSchema', () => {
  it('may be called by many processes at the same time, and again', async () => {
    const { executor, pool, schema } = await openDatabase();
    const table = `${schema}.raced`;
    const first = await pool.connect();
    await first.query('BEGIN');
    const unfinished = async (text: string): Promise<SqlResult> => ({
      ...(await first.query(text)),
      notices: [],
    });
    await ensureSchema({ execute: unfinished, close: async () => {} }, { table });
    const others = [ensureSchema(executor, { table }), ensureSchema(executor, { table })];
    await untilLocked(pool, table, 2);
    await first.query('COMMIT');
    first.release();
    await Promise.all(others);
    await ensureSchema(executor, { table });
    expect((await pool.query(`SELECT * FROM ${table}`)).rows).toEqual([]);
  });

  it('takes no lock on a table that is complete', async () => {
    const { executor, pool, table } = await openDatabase();
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await ensureSchema(executor, { table });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('puts the guard on a table that lacks it', async () => {
    const { executor, pool, table } = await openDatabase();
    await pool.query(
      `DROP TRIGGER id_segment_guard ON ${table}; DROP TRIGGER id_segment_guard_truncate ON ${table}`,
    );
    await ensureSchema(executor, { table });
    await expect(pool.query(`TRUNCATE ${table}`)).rejects.toThrow(/refused/);
  });

  it('fails where the schema does not exist', async () => {
    const { executor } = await openDatabase();
    await expect(ensureSchema(executor, { table: `${uniqueName('nowhere')}.t` })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('schema'),
    });
  });

  it('keeps the case of a name that needs quotes', async () => {
    const { executor, pool, schema } = await openDatabase();
    const table = `${schema}.Order$Segment`;
    await ensureSchema(executor, { table });
    await createSequence(executor, 'order', { table });
    expect((await pool.query(`SELECT max_id FROM ${schema}."Order$Segment"`)).rowCount).toBe(1);
  });
});

describe('missingSchema', () => {
  it('says what ensureSchema would make, and nothing once it has', async () => {
    const { executor, pool, table, schema } = await openDatabase();
    const other = `${schema}.other`;
    expect(await missingSchema(executor, { table })).toEqual([]);
    expect(await missingSchema(executor, { table: other, log: true })).toEqual(['table', 'log']);
    expect(await missingSchema(executor, { table, log: true })).toEqual(['log']);
    await pool.query(`DROP TRIGGER id_segment_guard_truncate ON ${table}`);
    expect(await missingSchema(executor, { table, log: true })).toEqual(['guards', 'log']);
    await ensureSchema(executor, { table, log: true });
    expect(await missingSchema(executor, { table, log: true })).toEqual([]);
  });
});

describe('sequenceSql', () => {
  it.each([
    ['order', {}],
    ["o'brien\\", { startAfter: 48_001 }],
    ['$sequence$ $sequence2$', {}],
    ['ticket', { group: { by: 'day', timeZone: '+05:30' } }],
  ] as const)('adds %s as createSequence does with %j', async (name, options) => {
    const { executor, pool, table, schema } = await openDatabase();
    const other = `${schema}.other`;
    await ensureSchema(executor, { table: other });
    await createSequence(executor, name, { ...options, table: other });
    const sql = sequenceSql(name, { ...options, table });
    await pool.query(sql);
    await pool.query(sql);
    const rowsOf = async (of: string) =>
      (await pool.query(`SELECT server_name, max_id, group_by, time_zone FROM ${of}`)).rows;
    expect(await rowsOf(table)).toEqual(await rowsOf(other));
    const first = await new SqlSegmentSource(executor, { table }).reserve(name, 1);
    expect(first).not.toHaveProperty('newReign');
  });

  it('adds a sequence in a savepoint of a migration, whose first reservation skips nothing', async () => {
    const { executor, pool, table } = await openDatabase();
    const connection = await connect(pool);
    await connection.query('BEGIN; SAVEPOINT migration');
    await connection.query(sequenceSql('order', { table }));
    await connection.query('RELEASE migration; COMMIT');
    const source = new SqlSegmentSource(executor, { table });
    expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10 });
  });

  it.each([
    ['a{b', {}, 'a sequence name must be'],
    ['order', { startAfter: -1 }, 'startAfter must be'],
    ['order', { table: 'a b' }, 'table must be'],
    ['order', { group: { by: 'week', timeZone: 'UTC' } }, 'option "group": "by" must be'],
  ])('refuses %j with %j', (name, options, message) => {
    expect(() => sequenceSql(name, options as object)).toThrow(message);
  });
});

describe('the segment table', () => {
  it.each([
    ['a lower max_id', 'UPDATE %t SET max_id = max_id - 1'],
    ['a renamed sequence', "UPDATE %t SET server_name = 'other'"],
    ['a deleted sequence', 'DELETE FROM %t'],
    ['an emptied table', 'TRUNCATE %t'],
    ['a max_id above 2^53 - 1', 'UPDATE %t SET max_id = 9007199254740992'],
    ['a negative start', "INSERT INTO %t (server_name, max_id) VALUES ('negative', -1)"],
    ['an empty name', "INSERT INTO %t (server_name) VALUES ('')"],
  ])('refuses %s, to its owner too', async (_what, statement) => {
    const { executor, pool, table } = await openDatabase();
    await createSequence(executor, 'order', { startAfter: 10, table });
    await expect(pool.query(statement.replace('%t', table))).rejects.toThrow(/refused|check constraint/);
    expect((await pool.query(`SELECT server_name, max_id FROM ${table}`)).rows).toEqual([
      { server_name: 'order', max_id: '10' },
    ]);
  });

  it('can be made by a migration that runs the exported DDL, any number of times', async () => {
    const { pool, schema } = await openDatabase();
    await pool.query(segmentSchema(`${schema}.migrated`));
    await pool.query(segmentSchema(`${schema}.migrated`));
    expect((await pool.query(`SELECT * FROM ${schema}.migrated`)).rows).toEqual([]);
  });
});
