import { runSegmentSourceContract } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import { SequenceMovedError } from '../../src/index.js';
import {
  createSequence,
  ensureSchema,
  fromPg,
  missingSchema,
  type SqlExecutor,
  type SqlResult,
  SqlSegmentSource,
  segmentSchema,
  sequenceSql,
  setFloor,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { ALL_DIALECTS, CLIENTS, DIALECTS, IN_FILES } from './dialects.js';
import { connect, openDatabase, openPoolAs, untilLocked } from './sql-database.js';

/** What is skipped by default above a floor that the table was below. */
const SKIP = 10_000_000;

describe.each(CLIENTS)('SqlSegmentSource over $server', ({ open }) => {
  const openSource = async () => {
    const { executor, table } = await open();
    return {
      source: new SqlSegmentSource(executor, { table }),
      createSequence: (name: string, startAfter: number) =>
        createSequence(executor, name, { startAfter, table }),
    };
  };
  runSegmentSourceContract({ name: 'it', open: openSource }, { describe, it });

  it('mends only as far as maxJump', async () => {
    const { executor, table } = await open();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table, maxJump: 100, afterRestore: SKIP });
    await expect(source.reserve('order', 1, { floor: 101 })).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
    });
    expect((await source.reserve('order', 1, { floor: 100 })).low).toBe(101 + SKIP);
    expect(() => new SqlSegmentSource(executor, { maxJump: -1 })).toThrow(RangeError);
  });

  it('says that the table is missing and how to make it', async () => {
    const { executor, schema } = await open();
    const table = `${schema}.other`;
    const source = new SqlSegmentSource(executor, { table });
    const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/other.*ensureSchema/) };
    await expect(source.describe('order')).rejects.toMatchObject(missing);
    await expect(source.reserve('order', 1)).rejects.toMatchObject(missing);
    await expect(createSequence(executor, 'order', { table })).rejects.toMatchObject(missing);
    await expect(setFloor(executor, 'order', 1, { table })).rejects.toMatchObject(missing);
  });

  it('says that a sequence is missing when its floor is to be set', async () => {
    const { executor, table } = await open();
    await expect(setFloor(executor, 'order', 5, { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('createSequence'),
    });
  });

  it('raises a sequence to a floor, once, and never lowers it', async () => {
    const { executor, table } = await open();
    await createSequence(executor, 'order', { table, startAfter: 10 });
    const floors = [500, 500, 3];
    for (const floor of floors)
      expect(await setFloor(executor, 'order', floor, { table })).toMatchObject({ maxId: 500 });
    expect((await new SqlSegmentSource(executor, { table }).reserve('order', 1)).low).toBe(501);
  });

  it('tells names apart by every byte', async () => {
    const { executor, table } = await open();
    const names = ['order', 'Order', 'order ', 'é', 'e\u0301', 'e', "'\\"];
    for (const [i, name] of names.entries())
      await createSequence(executor, name, { table, startAfter: 1_000 * i });
    const source = new SqlSegmentSource(executor, { table });
    for (const [i, name] of names.entries()) expect((await source.reserve(name, 1)).low).toBe(1_000 * i + 1);
  });
});

describe.each([...CLIENTS, IN_FILES])('within, over $server', ({ open }) => {
  it('reserves nothing from a row of another realm or reign than its caller expects', async () => {
    const { executor, table } = await open();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table });
    const { origin: found } = await source.reserve('order', 10);
    for (const within of [{ realm: 'another' }, { reigns: ['another'] }]) {
      for (const above of [{}, { floor: 100 }, { expectedMaxId: 10 }]) {
        const moved = source.reserve('order', 10, { ...above, within });
        await expect(moved).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', maxId: 10, found });
      }
    }
    expect(await source.reserve('order', 10, { within: found })).toMatchObject({ low: 11, origin: found });
  });
});

describe.each(ALL_DIALECTS)('a row that others change between two statements, on $server', ({ open }) => {
  const openBusy = async () => {
    const { executor, table } = await open();
    await createSequence(executor, 'order', { table });
    const others = new SqlSegmentSource(executor, { table });
    const execute: SqlExecutor['execute'] = async (...query) => {
      const result = await executor.execute(...query);
      await others.reserve('order', 1);
      return result;
    };
    return { others, source: new SqlSegmentSource({ ...executor, execute }, { table, afterRestore: 1_000 }) };
  };

  it('is said to be elsewhere than expected, with where it is', async () => {
    const { others, source } = await openBusy();
    const { high } = await source.reserve('order', 5);
    await others.reserve('order', 1);
    const moved = await source.reserve('order', 5, { expectedMaxId: high }).catch((error: unknown) => error);
    expect(moved).toBeInstanceOf(SequenceMovedError);
    const { maxId } = moved as SequenceMovedError;
    expect(maxId).toBeGreaterThan(high);
    expect((await source.reserve('order', 1)).low).toBeGreaterThan(maxId);
  });

  it('gives a segment above a floor', async () => {
    const { source } = await openBusy();
    const { high } = await source.reserve('order', 5);
    expect((await source.reserve('order', 5, { floor: high })).low).toBeGreaterThan(high);
    expect((await source.reserve('order', 5, { floor: 5_000 })).low).toBeGreaterThan(6_000);
  });
});

describe('SqlSegmentSource over Postgres', () => {
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

  it('refuses a table that a crash would empty', async () => {
    const { executor, pool, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    await pool.query(`ALTER TABLE ${table} SET UNLOGGED`);
    await expect(new SqlSegmentSource(executor, { table }).describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(table),
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
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5, origin });
    expect((await source.reserve('order', 5, { floor: 50 })).low).toBe(51 + SKIP);
    await expect(createSequence(modest, 'ticket', { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(table),
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
      `DROP TRIGGER id_segment_guard_delete ON ${table}; DROP TRIGGER id_segment_guard_truncate ON ${table}`,
    );
    await ensureSchema(executor, { table });
    await createSequence(executor, 'order', { table });
    await expect(pool.query(`TRUNCATE ${table}`)).rejects.toThrow(/rejected/);
    await expect(pool.query(`DELETE FROM ${table}`)).rejects.toThrow(/rejected/);
  });

  it('fails where the schema does not exist', async () => {
    const { executor } = await openDatabase();
    await expect(ensureSchema(executor, { table: `${uniqueName('nowhere')}.t` })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('nowhere'),
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

describe.each(CLIENTS)('missingSchema on $server', ({ dialect, open }) => {
  it('says what ensureSchema would make, and nothing once it has', async () => {
    const { executor, run, table, schema } = await open();
    const other = `${schema}.other`;
    expect(await missingSchema(executor, { table })).toEqual([]);
    expect(await missingSchema(executor, { table: other, log: true })).toEqual(['table', 'log']);
    expect(await missingSchema(executor, { table, log: true })).toEqual(['log']);
    await run(
      dialect === 'mysql'
        ? `DROP TRIGGER ${schema}.id_segment_insert`
        : `DROP TRIGGER id_segment_guard_truncate ON ${table}`,
    );
    expect(await missingSchema(executor, { table, log: true })).toEqual(['guards', 'log']);
    await Promise.all([1, 2, 3].map(() => ensureSchema(executor, { table, log: true })));
    expect(await missingSchema(executor, { table, log: true })).toEqual([]);
  });
});

describe.each(DIALECTS)('sequenceSql on $server', ({ dialect, open }) => {
  it.each([
    ['order', {}],
    ["o'brien\\", { startAfter: 48_001 }],
    ['$sequence$ $sequence2$', {}],
    ['ticket', { group: { by: 'day', timeZone: '+05:30' } }],
  ] as const)('adds %s as createSequence does with %j', async (name, options) => {
    const { executor, run, table, schema } = await open();
    const other = `${schema}.other`;
    await ensureSchema(executor, { table: other });
    await createSequence(executor, name, { ...options, table: other });
    const sql = sequenceSql(name, { ...options, table, dialect });
    await run(sql);
    await run(sql);
    const rowsOf = (of: string) => run(`SELECT server_name, max_id, group_by, time_zone FROM ${of}`);
    expect(await rowsOf(table)).toEqual(await rowsOf(other));
    const source = new SqlSegmentSource(executor, { table });
    expect(await source.describe(name)).not.toHaveProperty('pending');
    expect(await source.reserve(name, 1)).not.toHaveProperty('newReign');
  });

  it.each([
    ['a{b', {}, 'a sequence name must be'],
    ['order', { startAfter: -1 }, 'startAfter must be'],
    ['order', { table: 'a b' }, 'table must be'],
    ['order', { group: { by: 'week', timeZone: 'UTC' } }, 'option "group": "by" must be'],
  ])('refuses %j with %j', (name, options, message) => {
    expect(() => sequenceSql(name, { ...options, dialect } as object)).toThrow(message);
  });
});

it('sequenceSql adds a sequence in a savepoint of a migration, whose first reservation skips nothing', async () => {
  const { executor, pool, table } = await openDatabase();
  const connection = await connect(pool);
  await connection.query('BEGIN; SAVEPOINT migration');
  await connection.query(sequenceSql('order', { table }));
  await connection.query('RELEASE migration; COMMIT');
  const source = new SqlSegmentSource(executor, { table });
  expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
});

describe.each(CLIENTS)('the segment table on $server', ({ dialect, open }) => {
  it.each<readonly [string, string]>([
    ['a lower max_id', 'UPDATE %t SET max_id = max_id - 1'],
    ['a renamed sequence', "UPDATE %t SET server_name = 'other'"],
    ['a deleted sequence', 'DELETE FROM %t'],
    // TRUNCATE fires no trigger on MySQL.
    ...(dialect === 'mysql' ? [] : [['an emptied table', 'TRUNCATE %t'] as const]),
    ['a max_id above 2^53 - 1', 'UPDATE %t SET max_id = 9007199254740992'],
    ['a negative start', "INSERT INTO %t (server_name, max_id) VALUES ('negative', -1)"],
    ['an empty name', "INSERT INTO %t (server_name) VALUES ('')"],
  ])('refuses %s, to its owner too', async (_what, statement) => {
    const { executor, run, table } = await open();
    await createSequence(executor, 'order', { startAfter: 10, table });
    // Through the client, which must hand over that it was refused.
    const refused = executor.execute(statement.replaceAll('%t', table), []);
    await expect(refused).rejects.toThrow(/rejected|constraint/i);
    const rows = await run('SELECT server_name, max_id FROM %t');
    expect(rows.map((row) => [String(row.server_name), Number(row.max_id)])).toEqual([['order', 10]]);
  });

  it('can be made by a migration that runs the exported DDL, any number of times', async () => {
    const { executor, run, schema } = await open();
    const table = `${schema}.migrated`;
    const ddl = segmentSchema(table, { log: true, dialect });
    // One by one, as clients do that separate statements by semicolons; Postgres runs them all at once.
    const statements = dialect === 'mysql' ? ddl.split(/;\n/).filter((part) => part.trim() !== '') : [ddl];
    for (const statement of [...statements, ...statements]) await run(statement);
    expect(await run(`SELECT * FROM ${table}`)).toEqual([]);
    expect(await missingSchema(executor, { table, log: true })).toEqual([]);
  });
});
