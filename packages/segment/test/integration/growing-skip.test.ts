import { dumpTable } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it } from 'vitest';
import {
  type AfterReignChange,
  createSequence,
  ensureReserveProcedure,
  ensureSchema,
  fromPg,
  missingSchema,
  type SqlExecutor,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
} from '../../src/sql/index.js';
import { openDatabase, openPool } from './sql-database.js';

const DAY = 86_400;
const BASE = 10_000_000;

async function openSequence(group?: { readonly by: 'day'; readonly timeZone: string }) {
  const database = await openDatabase();
  const { executor, pool, table, schema } = database;
  await createSequence(executor, 'order', { table, ...(group && { group }) });
  const newcomer = (options: SqlSegmentSourceOptions = {}) =>
    new SqlSegmentSource(executor, { table, ...options });
  /** On a server with this lane. */
  const onLane = (lane: string, options: SqlSegmentSourceOptions = {}) => {
    const its = openPool({ options: `-c ids.lane=${lane} -c search_path=${schema}`, max: 1 });
    return { pool: its, source: new SqlSegmentSource(fromPg(its), { table, ...options }) };
  };
  /** As if the row had been written so many seconds earlier. */
  const age = (seconds: number) =>
    pool.query(`UPDATE ${table} SET minute_began = minute_began - $1 * interval '1 second'`, [seconds]);
  /** As if so many timelines had begun since the row was written. */
  const promote = (timelines: number) =>
    pool.query(`BEGIN; ALTER TABLE ${table} DISABLE TRIGGER USER;
      UPDATE ${table} SET timeline = lpad(to_hex(('x' || timeline)::bit(32)::int - ${timelines}), 8, '0'),
        last_xact = pg_current_xact_id()::text::bigint;
      ALTER TABLE ${table} ENABLE TRIGGER USER; COMMIT`);
  return { ...database, newcomer, onLane, age, promote };
}

it('counts ids by the minute, and keeps the rate of the busiest one', async () => {
  const { pool, table, newcomer, age } = await openSequence();
  const source = newcomer();
  const rate = async (): Promise<number> => {
    await source.reserve('order', 60);
    return (await pool.query(`SELECT peak_rate FROM ${table}`)).rows[0].peak_rate;
  };
  await source.reserve('order', 5_000);
  await source.reserve('order', 940);
  expect(await rate()).toBe(0);
  await age(61);
  expect(await rate()).toBe(100);
  await age(61);
  expect(await rate()).toBeCloseTo(100, 1);
  // It falls to half in a week, and stays what was used since.
  await age(7 * DAY);
  expect(await rate()).toBeCloseTo(50, 1);
  await age(-2 * DAY);
  expect(await rate()).toBeCloseTo(50, 1);
  // A minute in the future, by a clock that was wrong, does not last until then.
  expect((await source.describe('order')).pace?.idsPerSecond).toBeCloseTo(50, 1);
  const { rows } = await pool.query(`SELECT minute_began <= now() AS is_past FROM ${table}`);
  expect(rows).toEqual([{ is_past: true }]);
});

describe('a dump of yesterday that is restored', () => {
  async function restoreYesterday(afterRestore: AfterReignChange) {
    const { newcomer, table, age } = await openSequence();
    await newcomer().reserve('order', 12_000);
    await age(DAY);
    const dump = await dumpTable(inject('databaseUrl'), table);
    // More than the base, and less than four times the rate of 200 ids a second.
    const { high: issued } = await newcomer().reserve('order', 60_000_000);
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    const source = newcomer({ afterRestore });
    const described = await source.describe('order');
    return { issued, described, ...(await source.reserve('order', 10)) };
  }

  faultTest('is skipped ahead in by its age, which the event and the description say', async () => {
    const { low, issued, newReign, described } = await restoreYesterday({});
    expect(low).toBeGreaterThan(issued);
    expect(newReign).toMatchObject({ cause: 'restore', skipped: low - 12_001 });
    expect(newReign?.skipped).toBeGreaterThanOrEqual(BASE + 1_000 * DAY);
    expect(newReign?.pace?.idsPerSecond).toBe(200);
    expect(newReign?.pace?.ageSeconds).toBeGreaterThanOrEqual(DAY);
    expect(described).toMatchObject({ pending: 'restore', refused: false });
  });

  faultTest('repeats ids where the skip is a number', async () => {
    const { low, issued, newReign } = await restoreYesterday(BASE);
    expect(low).toBeLessThan(issued);
    expect(newReign).toEqual({ cause: 'restore', skipped: BASE });
  });
});

faultTest('a skip whose reservation was lost is no jump', async () => {
  const { newcomer, table } = await openSequence();
  const source = newcomer({ maxJump: 1_000 });
  await source.reserve('order', 100);
  const dump = await dumpTable(inject('databaseUrl'), table);
  await dump.restoreTo(inject('databaseUrl'));
  const { high: floor } = await source.reserve('order', 10);
  await injectFault(() => dump.restoreTo(inject('databaseUrl')));
  const { low, newReign } = await source.reserve('order', 10, { floor });
  expect(low).toBeGreaterThan(floor);
  expect(newReign?.cause).toBe('restore');
  // Farther than heirs of its row can skip, it is one.
  const far = low + 1_000_000_000;
  await expect(source.reserve('order', 10, { floor: far })).rejects.toMatchObject({
    code: 'ERR_IDS_REGRESSED',
  });
});

it('is skipped ahead in to another place by each heir of one row', async () => {
  const { executor, table, newcomer, onLane, promote } = await openSequence();
  await createSequence(executor, 'twin', { table });
  for (const name of ['order', 'twin']) await newcomer().reserve(name, 100);
  await promote(1);
  const { low } = await onLane('3').source.reserve('order', 100);
  const twin = await onLane('4').source.reserve('twin', 100);
  expect(low).toBeGreaterThanOrEqual(101 + 1.03 * BASE);
  expect(twin.low).toBeGreaterThanOrEqual(101 + 1.04 * BASE);
  // Both a little more, by the age of the row.
  expect(Math.max(low - 1.03 * BASE, twin.low - 1.04 * BASE)).toBeLessThan(0.01 * BASE);
  // What is no lane is as if none were set.
  await promote(1);
  const { newReign } = await onLane('256').source.reserve('order', 1);
  expect(newReign?.skipped).toBeGreaterThanOrEqual(BASE);
});

it('is no jump from one heir of a row to another', async () => {
  const { executor, table, newcomer, onLane, promote } = await openSequence();
  for (const name of ['twin', 'used']) await createSequence(executor, name, { table });
  for (const name of ['order', 'twin', 'used']) await newcomer().reserve(name, 100);
  await promote(1);
  const { high: floor } = await onLane('255').source.reserve('order', 100);
  const { source } = onLane('0', { maxJump: 1_000 });
  const { high } = await source.reserve('used', 100);
  expect(floor).toBeGreaterThan(high + 2 * BASE);
  for (const name of ['twin', 'used'])
    expect((await source.reserve(name, 1, { floor })).low).toBeGreaterThan(floor);
});

it('is not moved into a new reign on another heir of its row than the one that was read', async () => {
  const { newcomer, table, schema, promote } = await openSequence();
  await newcomer().reserve('order', 100);
  await promote(1);
  const heirs = ['3', '4'].map((lane) =>
    fromPg(openPool({ options: `-c ids.lane=${lane} -c search_path=${schema}`, max: 1 })),
  ) as [SqlExecutor, SqlExecutor];
  const rerouted: SqlExecutor = {
    ...heirs[0],
    execute: (text, ...rest) => heirs[/ AS lane/.test(text) ? 0 : 1].execute(text, ...rest),
  };
  const source = new SqlSegmentSource(rerouted, { table });
  await expect(source.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
  expect(await newcomer().describe('order')).toMatchObject({ maxId: 100, pending: 'failover' });
});

describe('the procedure skips what the source skips', () => {
  const group = { by: 'day', timeZone: '+00:00' } as const;
  it.each([
    ['after a restore', { timelines: 0 }, undefined],
    ['after a failover', { timelines: 1 }, undefined],
    ['after five, in a sequence by day', { timelines: 5 }, group],
    ['by numbers', { timelines: 2, afterFailover: 700, afterRestore: 30 }, undefined],
    ['not, if it is refused', { timelines: 1, afterFailover: 'refuse' }, undefined],
  ] as const)('%s', async (_, { timelines, ...options }, of) => {
    const { executor, table, newcomer, onLane, age, promote } = await openSequence(of);
    const { high: start } = await newcomer().reserve('order', 100);
    await ensureReserveProcedure(executor, { table, ...options });
    const { pool, source } = onLane('9', options);
    const reserve = {
      source: async () => (await source.reserve('order', 1)).low,
      procedure: async () => Number((await pool.query(`CALL ids_reserve('order', 1)`)).rows[0].low),
    };
    const skipped: (number | string)[] = [];
    let above = start;
    for (const by of ['source', 'procedure'] as const) {
      // Longer than a day, so that milliseconds make no difference.
      await age(DAY + 100);
      if (timelines > 0) await promote(timelines);
      else await pool.query(`UPDATE ${table} SET last_xact = 1`);
      try {
        const low = await reserve[by]();
        skipped.push(low - above);
        above = low;
      } catch {
        skipped.push('refused');
      }
    }
    expect(skipped[1]).toBe(skipped[0]);
    expect(skipped[0]).not.toBe(1);
  });
});

faultTest('goes on in a table of an older version that is restored while it is in use', async () => {
  const { pool, table, newcomer } = await openSequence();
  const source = newcomer();
  await source.reserve('order', 100);
  await injectFault(() =>
    pool.query(
      `ALTER TABLE ${table} DROP minute_began, DROP minute_ids, DROP peak_rate, DROP seconds_lost, DROP reigns_lost, ADD other int`,
    ),
  );
  await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER; UPDATE ${table} SET last_xact = 1;
    ALTER TABLE ${table} ENABLE TRIGGER USER`);
  const { newReign } = await source.reserve('order', 10);
  expect(newReign).toEqual({ cause: 'restore', skipped: BASE });
});

it('does not grow in a table of an older version, which says so until it is brought up to date', async () => {
  const { executor, pool, table, newcomer } = await openSequence();
  await pool.query(
    `ALTER TABLE ${table} DROP minute_began, DROP minute_ids, DROP peak_rate, DROP seconds_lost, DROP reigns_lost`,
  );
  expect((await newcomer().reserve('order', 100)).high).toBe(100);
  const withNumbers = newcomer({ afterFailover: 1, afterRestore: 1 });
  const warnings = async (source: SqlSegmentSource) => (await source.describe('order')).warnings ?? [];
  expect((await warnings(newcomer())).length).toBe((await warnings(withNumbers)).length + 1);
  await pool.query(`UPDATE ${table} SET last_xact = 1`);
  expect((await newcomer().reserve('order', 1)).newReign).toEqual({ cause: 'restore', skipped: BASE });

  expect(await missingSchema(executor, { table })).not.toEqual([]);
  await ensureSchema(executor, { table });
  expect(await missingSchema(executor, { table })).toEqual([]);
  expect(await warnings(newcomer())).toEqual(await warnings(withNumbers));
  expect((await newcomer().reserve('order', 1)).newReign).toBeUndefined();
});
