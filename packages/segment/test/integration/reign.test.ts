import { dumpTable, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it } from 'vitest';
import { type ReservedSegment, SequenceMovedError } from '../../src/index.js';
import {
  createSequence,
  ensureSchema,
  fromPg,
  type SqlExecutor,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  segmentGrants,
  setFloor,
} from '../../src/sql/index.js';
import { openDatabase, openPool, openPoolAs, type TestDatabase } from './sql-database.js';

const SKIP = 1_000;

interface Sequence extends TestDatabase {
  readonly source: SqlSegmentSource;
  /** A process of its own, which has seen nothing. */
  readonly newcomer: (options?: SqlSegmentSourceOptions) => SqlSegmentSource;
}

async function openSequence(options: SqlSegmentSourceOptions = {}): Promise<Sequence> {
  const database = await openDatabase();
  const { executor, table } = database;
  await createSequence(executor, 'order', { table });
  const newcomer = (own: SqlSegmentSourceOptions = {}) =>
    new SqlSegmentSource(executor, { table, afterRestore: SKIP, ...options, ...own });
  return { ...database, newcomer, source: newcomer() };
}

/** Dumps the table with `before` ids reserved, lets `lost` more be reserved, and restores it. */
async function restoreAfter({ source, table }: Sequence, before: number, lost: number): Promise<void> {
  await source.reserve('order', before);
  const dump = await dumpTable(inject('databaseUrl'), table);
  await source.reserve('order', lost);
  await injectFault(() => dump.restoreTo(inject('databaseUrl')));
}

async function row({ pool, table }: TestDatabase): Promise<Record<string, unknown>> {
  return (await pool.query(`SELECT *, xmin FROM ${table} WHERE server_name = 'order'`)).rows[0];
}

const restored = { cause: 'restore', skipped: SKIP };

describe('a table that was restored from a dump', () => {
  faultTest('is noticed by a process that knows nothing, which skips what the dump lacks', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const segment = await sequence.newcomer().reserve('order', 10);
    expect(segment).toEqual({ low: 101 + SKIP, high: 110 + SKIP, newReign: restored });
    expect(await sequence.newcomer().reserve('order', 10)).toEqual({ low: 111 + SKIP, high: 120 + SKIP });
  });

  faultTest('is skipped ahead in by 10,000,000 ids unless told otherwise', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const { executor, table } = sequence;
    const { low } = await new SqlSegmentSource(executor, { table }).reserve('order', 1);
    expect(low).toBe(10_000_101);
  });

  faultTest('is noticed before anything was reserved from it', async () => {
    const sequence = await openSequence();
    const dump = await dumpTable(inject('databaseUrl'), sequence.table);
    await sequence.source.reserve('order', 50);
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    expect((await sequence.source.reserve('order', 1)).low).toBe(SKIP + 1);
  });

  faultTest('is noticed by one of many reservations that are made at once', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const calls = Array.from({ length: 8 }, () => sequence.newcomer().reserve('order', 10));
    const segments = await Promise.all(calls);
    expect(segments.filter(({ newReign }) => newReign !== undefined)).toHaveLength(1);
    expect(segments.map(({ low }) => low).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 8 }, (_, i) => 101 + SKIP + 10 * i),
    );
  });

  faultTest('is raised above a floor and what is skipped on top of it', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const segment = await sequence.newcomer().reserve('order', 10, { floor: 130 });
    expect(segment).toEqual({ low: 131 + SKIP, high: 140 + SKIP, newReign: restored });
  });

  faultTest('is reserved from behind an expected id once, above what is skipped', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const reserve = () => sequence.newcomer().reserve('order', 10, { expectedMaxId: 100 });
    const results = await Promise.allSettled([reserve(), reserve(), reserve()]);
    const made = results.filter(({ status }) => status === 'fulfilled');
    expect(made).toEqual([
      { status: 'fulfilled', value: { low: 101 + SKIP, high: 110 + SKIP, newReign: restored } },
    ]);
    await expect(reserve()).rejects.toThrow(SequenceMovedError);
  });

  faultTest('is refused until a floor was set, where that is asked for, and described as such', async () => {
    const sequence = await openSequence({ afterRestore: 'refuse' });
    await restoreAfter(sequence, 100, 50);
    const newcomer = sequence.newcomer();
    const refused = {
      code: 'ERR_IDS_REGRESSED',
      retryable: false,
      message: expect.stringMatching(/restored, copied.*setFloor/),
    };
    await expect(newcomer.reserve('order', 10)).rejects.toMatchObject(refused);
    await expect(newcomer.reserve('order', 10, { floor: 130 })).rejects.toMatchObject(refused);
    await expect(newcomer.reserve('order', 10, { expectedMaxId: 100 })).rejects.toMatchObject(refused);
    const { warnings } = await newcomer.describe('order');
    expect(warnings).toContainEqual(expect.stringMatching(/restored.*refused until setFloor/));
    expect((await row(sequence)).max_id).toBe('100');
    await setFloor(sequence.executor, 'order', 150, { table: sequence.table });
    expect(await newcomer.reserve('order', 10)).toEqual({ low: 151, high: 160 });
  });

  faultTest('is noticed on another server, whatever transaction wrote it there', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    const { pool, table } = sequence;
    await injectFault(async () => {
      // As if the restore's transaction had the number that the row names: numbers are small on new servers.
      await pool.query(`UPDATE ${table} SET last_xact = pg_current_xact_id()::text::bigint, system_id = 1`);
    });
    expect(await sequence.newcomer().reserve('order', 1)).toMatchObject({ newReign: restored });
  });

  faultTest('is not noticed twice, also where its log is kept', async () => {
    const { executor, table, ...sequence } = await openSequence({ log: true });
    await ensureSchema(executor, { table, log: true });
    await restoreAfter({ executor, table, ...sequence }, 100, 50);
    expect(await sequence.newcomer().reserve('order', 10)).toMatchObject({ newReign: restored });
    expect(await sequence.newcomer().reserve('order', 10)).not.toHaveProperty('newReign');
  });

  faultTest('is refused where what is to be skipped leaves the day', async () => {
    const sequence = await openSequence({ afterRestore: 10 ** 8 });
    const { executor, table, newcomer } = sequence;
    await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: 'Asia/Shanghai' } });
    const dump = await dumpTable(inject('databaseUrl'), table);
    await newcomer().reserve('ticket', 5);
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    await expect(newcomer().reserve('ticket', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringContaining('do not fit in the group'),
    });
    expect(await newcomer({ afterRestore: SKIP }).reserve('ticket', 1)).toMatchObject({ newReign: restored });
  });
});

describe('a table that nothing happened to', () => {
  it('raises no alarm under 16 clients, old and new ones and operators among them', async () => {
    const { pool, table, executor } = await openSequence();
    const wide = fromPg(openPool({ max: 16 }));
    const plain = openPool({ max: 2 });
    const segments: ReservedSegment[] = [];
    const client = async (): Promise<void> => {
      const source = new SqlSegmentSource(wide, { table });
      for (let i = 0; i < 100; i++) segments.push(await source.reserve('order', 1));
    };
    let busy = true;
    const others = async (): Promise<void> => {
      while (busy) {
        await plain.query(`UPDATE ${table} SET max_id = max_id + 1 WHERE server_name = 'order'`);
        await setFloor(executor, 'order', 5, { table });
        await pool.query(`VACUUM (FREEZE) ${table}`);
      }
    };
    const disturbing = others();
    await Promise.all(Array.from({ length: 16 }, client));
    busy = false;
    await disturbing;
    expect(segments).toHaveLength(1_600);
    expect(segments.filter(({ newReign }) => newReign !== undefined)).toEqual([]);
    expect(new Set(segments.map(({ low }) => low)).size).toBe(1_600);
  });

  it.each(['VACUUM FREEZE', 'VACUUM FULL', 'CLUSTER'])('is not skipped after %s', async (command) => {
    const { source, pool, table } = await openSequence();
    await source.reserve('order', 10);
    await pool.query(`${command} ${table}${command === 'CLUSTER' ? ' USING id_segment_pkey' : ''}`);
    expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20 });
  });

  it('is not skipped after an UPDATE by hand, which raises it', async () => {
    const { source, pool, table } = await openSequence();
    await source.reserve('order', 10);
    await pool.query(`UPDATE ${table} SET max_id = 500`);
    expect(await source.reserve('order', 10)).toEqual({ low: 501, high: 510 });
  });

  it('is not skipped after transaction numbers went beyond 2^32', async () => {
    const sequence = await openSequence();
    const { source, pool, table } = sequence;
    await source.reserve('order', 10);
    await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const xact = `pg_current_xact_id()::text::bigint + 3 * 4294967296`;
    await pool.query(`UPDATE ${table} SET last_xact = ${xact}`);
    expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20 });
  });
});

describe('a change of the reign', () => {
  faultTest('is not hidden by an UPDATE that knows nothing of it', async () => {
    const sequence = await openSequence();
    await restoreAfter(sequence, 100, 50);
    await sequence.pool.query(`UPDATE ${sequence.table} SET max_id = max_id + 5`);
    expect(await sequence.newcomer().reserve('order', 1)).toMatchObject({ low: 106 + SKIP });
  });

  faultTest('is seen in a lower max_id that was written past the guard', async () => {
    const { source, pool, table } = await openSequence();
    await source.reserve('order', 100);
    await injectFault(() =>
      pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER; UPDATE ${table} SET max_id = 20`),
    );
    expect(await source.reserve('order', 1)).toEqual({ low: 21 + SKIP, high: 21 + SKIP, newReign: restored });
  });
});

describe('a table of an older version', () => {
  async function openOld(): Promise<Sequence> {
    const sequence = await openSequence();
    await sequence.source.reserve('order', 10);
    await sequence.pool.query(`DROP TRIGGER id_segment_reign ON ${sequence.table};
      ALTER TABLE ${sequence.table} DROP system_id, DROP timeline, DROP last_xact, DROP noticed`);
    return sequence;
  }

  it('goes on being used, with a warning, and is adopted once ensureSchema has completed it', async () => {
    const sequence = await openOld();
    const { executor, table } = sequence;
    const old = sequence.newcomer();
    const { warnings } = await old.describe('order');
    expect(warnings).toContainEqual(expect.stringMatching(/not detected.*lacks their columns.*ensureSchema/));
    expect(await old.reserve('order', 10)).toEqual({ low: 11, high: 20 });
    expect(await old.reserve('order', 10, { floor: 30 })).toEqual({ low: 31, high: 40 });
    expect(await setFloor(executor, 'order', 50, { table })).toMatchObject({ maxId: 50 });
    expect(await createSequence(executor, 'ticket', { table })).toMatchObject({ created: true });

    await Promise.all([1, 2, 3].map(() => ensureSchema(executor, { table })));
    const updated = sequence.newcomer();
    expect((await updated.describe('order')).warnings?.join() ?? '').not.toMatch(/not detected/);
    expect(await updated.reserve('order', 10)).toEqual({ low: 51, high: 60 });
    // Neither the process of the old version nor that of the new one disturbs the other.
    expect(await old.reserve('order', 10)).toEqual({ low: 61, high: 70 });
    expect(await updated.reserve('order', 10)).toEqual({ low: 71, high: 80 });
  });
});

describe('where the guard has less to go by', () => {
  it('says so to a role that may not use the columns, and reserves for it beside others', async () => {
    const { pool, table, schema, newcomer } = await openSequence();
    const modest = await openPoolAs(schema);
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    await pool.query(`GRANT SELECT, UPDATE (max_id) ON ${table} TO ${schema}`);
    const source = new SqlSegmentSource(fromPg(modest), { table });
    const { warnings } = await source.describe('order');
    expect(warnings).toContainEqual(expect.stringMatching(/not detected.*segmentGrants/));
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5 });
    expect(await newcomer().reserve('order', 5)).toEqual({ low: 6, high: 10 });
    expect(await source.reserve('order', 5)).toEqual({ low: 11, high: 15 });
    expect(await newcomer().reserve('order', 5)).toEqual({ low: 16, high: 20 });

    await pool.query(segmentGrants(schema, { table }));
    expect((await source.describe('order')).warnings?.join() ?? '').not.toMatch(/not detected/);
    expect(await source.reserve('order', 5)).toEqual({ low: 21, high: 25 });
    expect((await pool.query(`SELECT last_xact = xmin::text::bigint AS kept FROM ${table}`)).rows).toEqual([
      { kept: true },
    ]);
  });

  faultTest('still notices a restore on a server that does not tell its timeline', async () => {
    const sequence = await openSequence();
    const { executor, table } = sequence;
    const unsupported: SqlExecutor = {
      execute: async (text, values, signal) => {
        if (!text.includes('pg_walfile_name')) return executor.execute(text, values, signal);
        throw Object.assign(new Error('pg_walfile_name is not supported here'), { code: '0A000' });
      },
      close: async () => {},
    };
    const source = new SqlSegmentSource(unsupported, { table, afterRestore: SKIP });
    const { warnings } = await source.describe('order');
    expect(warnings).toContainEqual(
      expect.stringMatching(/promoted standbys are not detected.*not supported/),
    );
    expect(await source.reserve('order', 100)).toEqual({ low: 1, high: 100 });
    expect(await source.reserve('order', 100)).toEqual({ low: 101, high: 200 });
    await restoreAfter(sequence, 1, 50);
    expect(await source.reserve('order', 1)).toMatchObject({ low: 202 + SKIP, newReign: restored });
  });
});

it.each([
  [{ afterRestore: -1 }, RangeError],
  [{ afterFailover: 1.5 }, RangeError],
  [{ afterFailover: 'stop' as 'refuse' }, /"afterFailover": must be "refuse" or a whole number.*got "stop"/],
])('SqlSegmentSource refuses %o', async (options, error) => {
  const { executor } = await openDatabase();
  expect(() => new SqlSegmentSource(executor, options)).toThrow(error);
});

describe('describe warns of', () => {
  it.each([
    [/triggers.*missing or disabled/, (t: string) => `ALTER TABLE ${t} DISABLE TRIGGER id_segment_guard`],
    [/triggers.*missing or disabled/, (t: string) => `DROP TRIGGER id_segment_guard_truncate ON ${t}`],
  ])('a table whose guard is off: %s', async (warning, act) => {
    const { source, pool, table } = await openSequence();
    expect((await source.describe('order')).warnings?.join() ?? '').not.toMatch(warning);
    await pool.query(act(table));
    expect((await source.describe('order')).warnings).toContainEqual(expect.stringMatching(warning));
  });

  it('a role that passes the triggers, and one whose search_path has two tables of the name', async () => {
    const { pool, schema, executor } = await openSequence();
    const other = uniqueName('other');
    await pool.query(`CREATE SCHEMA ${other}`);
    await ensureSchema(executor, { table: `${other}.id_segment` });
    const role = uniqueName('role');
    const strange = await openPoolAs(role, 'SUPERUSER');
    await pool.query(`ALTER ROLE ${role} SET session_replication_role = 'replica'`);
    await pool.query(`ALTER ROLE ${role} SET search_path = ${schema}, ${other}`);
    const { warnings } = await new SqlSegmentSource(fromPg(strange)).describe('order');
    await pool.query(`DROP SCHEMA ${other} CASCADE`);
    expect(warnings).toContainEqual(expect.stringContaining('session_replication_role is replica'));
    expect(warnings).toContainEqual(expect.stringContaining(`${schema}, ${other} of the search_path`));
  });
});

it('describe refuses a role whose transactions are read-only', async () => {
  const { pool, table, schema } = await openSequence();
  const reader = await openPoolAs(schema, 'SUPERUSER');
  await pool.query(`ALTER ROLE ${schema} SET default_transaction_read_only = on`);
  await expect(new SqlSegmentSource(fromPg(reader), { table }).describe('order')).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringContaining('default_transaction_read_only'),
  });
});
