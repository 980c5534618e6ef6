import { dumpTable, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it } from 'vitest';
import { KnownReigns, reserveAbove } from '../../src/index.js';
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
import { origin } from '../origin.js';
import { openDatabase, openPoolAs, type TestDatabase } from './sql-database.js';

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

const restored = { cause: 'restore', skipped: SKIP };

describe('a table on Postgres that was restored', () => {
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

  faultTest('is seen in a lower max_id that was written past the guard', async () => {
    const { source, pool, table } = await openSequence();
    await source.reserve('order', 100);
    await injectFault(() =>
      pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER; UPDATE ${table} SET max_id = 20`),
    );
    expect(await source.reserve('order', 1)).toEqual({
      low: 21 + SKIP,
      high: 21 + SKIP,
      origin,
      newReign: restored,
    });
  });

  faultTest('is refused, and says so, if a promotion came too and those are to be refused', async () => {
    const { source, newcomer, pool, table } = await openSequence();
    await source.reserve('order', 10);
    const careful = newcomer({ afterFailover: 'refuse', afterRestore: SKIP });
    await injectFault(() => pool.query(`UPDATE ${table} SET timeline = '00000000', database_id = 1`));
    const { pending, warnings } = await careful.describe('order');
    expect(pending).toBe('restore');
    expect(warnings).toContainEqual(expect.stringContaining('setFloor'));
    await expect(careful.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
  });
});

describe('a table on Postgres that nothing happened to', () => {
  it('is not skipped after transaction numbers went beyond 2^32', async () => {
    const sequence = await openSequence();
    const { source, pool, table } = sequence;
    await source.reserve('order', 10);
    await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const xact = `pg_current_xact_id()::text::bigint + 3 * 4294967296`;
    await pool.query(`UPDATE ${table} SET last_xact = ${xact}`);
    expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
  });
});

describe('a former primary', () => {
  faultTest('whose row a later timeline wrote is refused until somebody accepts it', async () => {
    const { source, pool, executor, table } = await openSequence();
    await source.reserve('order', 10);
    await injectFault(() => pool.query(`UPDATE ${table} SET timeline = '0000FFFF'`));
    await expect(source.reserve('order', 10)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(/\b00000001\b.*\b0000FFFF\b.*checked: true/),
    });
    await setFloor(executor, 'order', 500, { table });
    await expect(source.reserve('order', 10)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    await setFloor(executor, 'order', 500, { table, checked: true });
    expect(await source.reserve('order', 10)).toEqual({ low: 501, high: 510, origin });
  });

  faultTest('that an operator accepts is used again by processes that met its successor', async () => {
    const { source, executor, table } = await openSequence();
    const { reigns = [] } = (await source.reserve('order', 10)).origin ?? {};
    const known = new KnownReigns('order', { reigns });
    const reserve = () => reserveAbove(source, 'order', 10, 0, { onEvent: () => {}, known });
    await reserve();
    await injectFault(() => known.learn([String(reigns[0]).replace('00000001-', '00000002-'), ...reigns]));
    await expect(reserve()).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
    await setFloor(executor, 'order', 500, { table, checked: true });
    expect(await reserve()).toMatchObject({ low: 501 });
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
    expect(warnings).toContainEqual(expect.stringContaining('ensureSchema'));
    expect(await old.reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
    expect(await old.reserve('order', 10, { floor: 30 })).toEqual({
      low: 31 + SKIP,
      high: 40 + SKIP,
      origin,
    });
    const floor = 50 + SKIP;
    expect(await setFloor(executor, 'order', floor, { table })).toMatchObject({ maxId: floor });
    expect(await createSequence(executor, 'ticket', { table })).toMatchObject({ created: true });

    await Promise.all([1, 2, 3].map(() => ensureSchema(executor, { table })));
    const updated = sequence.newcomer();
    expect((await updated.describe('order')).warnings?.join() ?? '').not.toMatch(/ensureSchema/);
    expect(await updated.reserve('order', 10)).toEqual({ low: 51 + SKIP, high: 60 + SKIP, origin });
    // Neither the process of the old version nor that of the new one disturbs the other.
    expect(await old.reserve('order', 10)).toEqual({ low: 61 + SKIP, high: 70 + SKIP, origin });
    expect(await updated.reserve('order', 10)).toEqual({ low: 71 + SKIP, high: 80 + SKIP, origin });
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
    expect(warnings).toContainEqual(expect.stringContaining('segmentGrants'));
    expect(await source.reserve('order', 5)).toEqual({ low: 1, high: 5, origin });
    expect(await newcomer().reserve('order', 5)).toEqual({ low: 6, high: 10, origin });
    expect(await source.reserve('order', 5)).toEqual({ low: 11, high: 15, origin });
    expect(await newcomer().reserve('order', 5)).toEqual({ low: 16, high: 20, origin });

    await pool.query(segmentGrants(schema, { table }));
    expect((await source.describe('order')).warnings?.join() ?? '').not.toMatch(/segmentGrants/);
    expect(await source.reserve('order', 5)).toEqual({ low: 21, high: 25, origin });
    expect((await pool.query(`SELECT last_xact = xmin::text::bigint AS kept FROM ${table}`)).rows).toEqual([
      { kept: true },
    ]);
  });

  for (const code of ['0A000', '55000']) {
    faultTest(`still notices a restore on a server that does not tell its timeline (${code})`, async () => {
      const sequence = await openSequence();
      const { executor, table } = sequence;
      const unsupported: SqlExecutor = {
        execute: async (text, values, signal) => {
          if (!text.includes('pg_walfile_name')) return executor.execute(text, values, signal);
          throw Object.assign(new Error('pg_walfile_name is not supported here'), { code });
        },
        close: async () => {},
      };
      const source = new SqlSegmentSource(unsupported, { table, afterRestore: SKIP });
      const { warnings } = await source.describe('order');
      expect(warnings).toContainEqual(expect.stringContaining('not supported'));
      expect(await source.reserve('order', 100)).toEqual({ low: 1, high: 100, origin });
      expect(await source.reserve('order', 100)).toEqual({ low: 101, high: 200, origin });
      await restoreAfter(sequence, 1, 50);
      expect(await source.reserve('order', 1)).toMatchObject({ low: 202 + SKIP, newReign: restored });
    });
  }

  it('takes no standby for a server that does not tell its timeline', async () => {
    const { executor, table } = await openSequence();
    const code = '55000';
    const standby: SqlExecutor = {
      execute: async (text, values, signal) => {
        if (text.includes('pg_is_in_recovery() AS standby'))
          return { rows: [{ standby: true }], notices: [] };
        if (!text.includes('pg_walfile_name')) return executor.execute(text, values, signal);
        throw Object.assign(new Error('recovery is in progress'), { code });
      },
      close: async () => {},
    };
    const source = new SqlSegmentSource(standby, { table });
    await expect(source.reserve('order', 1)).rejects.toMatchObject({ cause: { code } });
  });
});

describe('describe warns of', () => {
  it.each([
    [/\bTRUNCATE\b.*ensureSchema/, (t: string) => `ALTER TABLE ${t} DISABLE TRIGGER id_segment_guard`],
    [/\bTRUNCATE\b.*ensureSchema/, (t: string) => `DROP TRIGGER id_segment_guard_truncate ON ${t}`],
  ])('a table whose guard is off: %s', async (warning, act) => {
    const { source, pool, table } = await openSequence();
    expect((await source.describe('order')).warnings?.join() ?? '').not.toMatch(warning);
    await pool.query(act(table));
    expect((await source.describe('order')).warnings).toContainEqual(expect.stringMatching(warning));
  });

  it('a role whose search_path has two tables of the name', async () => {
    const { pool, schema, executor } = await openSequence();
    const other = uniqueName('other');
    await pool.query(`CREATE SCHEMA ${other}`);
    await ensureSchema(executor, { table: `${other}.id_segment` });
    const role = uniqueName('role');
    const strange = await openPoolAs(role, 'SUPERUSER');
    await pool.query(`ALTER ROLE ${role} SET search_path = ${schema}, ${other}`);
    const { warnings } = await new SqlSegmentSource(fromPg(strange)).describe('order');
    await pool.query(`DROP SCHEMA ${other} CASCADE`);
    expect(warnings).toContainEqual(expect.stringMatching(`\\b${schema}, ${other}\\b.*\\bsearch_path\\b`));
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
