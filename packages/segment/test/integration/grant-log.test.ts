import { hostname } from 'node:os';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  SqlSegmentSource,
  segmentSchema,
  setFloor,
  whoIssued,
} from '../../src/sql/index.js';
import { ALL_DIALECTS, type TestTable } from './dialects.js';
import { openDatabase } from './sql-database.js';

interface Logged extends TestTable {
  sourceOf(owner?: string): SqlSegmentSource;
  issuedBy(id: number | bigint): ReturnType<typeof whoIssued>;
}

async function openLogged({ open }: (typeof ALL_DIALECTS)[number]): Promise<Logged> {
  const database = await open({ log: true });
  const { executor, table } = database;
  await createSequence(executor, 'order', { table, startAfter: 100 });
  return {
    ...database,
    // Without what a restored row skips, so that a table which went back gives the same segment again.
    sourceOf: (owner) => new SqlSegmentSource(executor, { table, log: true, owner, afterRestore: 0 }),
    issuedBy: (id) => whoIssued(executor, 'order', id, { table }),
  };
}

/** What differs: the server's clock in milliseconds, and how to lower a sequence in spite of the guards. */
const SQL = {
  postgres: {
    now: 'SELECT (1000 * extract(epoch FROM now()))::float AS now',
    lower: ['ALTER TABLE %t DISABLE TRIGGER USER', 'UPDATE %t SET max_id = 100'],
    refuse: ["ALTER TABLE %t_log ADD CHECK (owner <> 'unwanted')"],
  },
  mysql: {
    now: 'SELECT 1000 * UNIX_TIMESTAMP(NOW(6)) + 0e0 AS now',
    lower: ['UPDATE %t SET max_id = 100, reserved_to = 100'],
    refuse: ["ALTER TABLE %t_log ADD CONSTRAINT CHECK (owner <> 'unwanted')"],
  },
  sqlite: {
    now: "SELECT (julianday('now') - 2440587.5) * 86400000 AS now",
    lower: ['DROP TRIGGER %t_update', 'UPDATE %t SET max_id = 100'],
    refuse: [
      "CREATE TRIGGER refuse BEFORE INSERT ON %t_log WHEN NEW.owner = 'unwanted' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    ],
  },
} as const;

describe.each(ALL_DIALECTS)('whoIssued on $server', (kind) => {
  const sql = SQL[kind.dialect];

  it('says who drew the segment that holds an id, and when by the database', async () => {
    const { run, sourceOf, issuedBy } = await openLogged(kind);
    const gpid = '10.0.0.7:8888:1307761900123456:4711';
    const before = Number((await run(sql.now))[0]?.now);
    await sourceOf(gpid).reserve('order', 10);
    await sourceOf('worker-2').reserve('order', 5);
    const after = Number((await run(sql.now))[0]?.now);
    const first = { low: 101, high: 110, owner: gpid, grantedAt: expect.any(Date) };
    expect(await issuedBy(101)).toEqual({ status: 'granted', grants: [first] });
    expect(await issuedBy(110n)).toEqual({ status: 'granted', grants: [first] });
    expect(await issuedBy(111)).toMatchObject({ grants: [{ low: 111, high: 115, owner: 'worker-2' }] });
    const last = await issuedBy(115);
    if (last.status !== 'granted') throw new Error(last.status);
    const at = last.grants[0].grantedAt.getTime();
    expect(at).toBeGreaterThanOrEqual(Math.floor(before));
    expect(at).toBeLessThanOrEqual(Math.ceil(after));
  });

  it('names the host and the process unless told otherwise', async () => {
    const { sourceOf, issuedBy } = await openLogged(kind);
    await sourceOf().reserve('order', 1);
    expect(await issuedBy(101)).toMatchObject({ grants: [{ owner: `${hostname()}:${process.pid}` }] });
  });

  it('tells an id that nobody drew yet from one that was there before the log, and from one that was skipped', async () => {
    const { executor, table, sourceOf, issuedBy } = await openLogged(kind);
    expect(await issuedBy(100)).toEqual({ status: 'before-log' });
    expect(await issuedBy(101)).toEqual({ status: 'not-drawn' });
    await sourceOf('a').reserve('order', 1);
    await setFloor(executor, 'order', 200, { table });
    await sourceOf('a').reserve('order', 1);
    await new SqlSegmentSource(executor, { table }).reserve('order', 1);
    expect(await issuedBy(100)).toEqual({ status: 'before-log' });
    expect(await issuedBy(150)).toEqual({ status: 'not-logged' });
    expect(await issuedBy(201)).toMatchObject({ status: 'granted' });
    expect(await issuedBy(202)).toEqual({ status: 'not-logged' });
    expect(await issuedBy(203)).toEqual({ status: 'not-drawn' });
  });

  faultTest('shows both grants of an id, the latest first, when the table went back', async () => {
    const { run, sourceOf, issuedBy } = await openLogged(kind);
    await sourceOf('first').reserve('order', 10);
    await injectFault(async () => {
      for (const statement of sql.lower) await run(statement);
    });
    await sourceOf('second').reserve('order', 5);
    expect(await issuedBy(103)).toMatchObject({ grants: [{ owner: 'second' }, { owner: 'first' }] });
    expect(await issuedBy(108)).toMatchObject({ grants: [{ owner: 'first' }] });
  });

  it('finds the ends of a segment of 10^9 ids', async () => {
    const { sourceOf, issuedBy } = await openLogged(kind);
    await sourceOf('a').reserve('order', 1_000_000_000);
    expect(await issuedBy(101)).toMatchObject({ status: 'granted' });
    expect(await issuedBy(1_000_000_100)).toMatchObject({ status: 'granted' });
  });

  it('finds who drew a healed segment and a ticket', async () => {
    const { executor, table, sourceOf, issuedBy } = await openLogged(kind);
    await sourceOf('healer').reserve('order', 10, { floor: 500 });
    expect(await issuedBy(505)).toMatchObject({ grants: [{ low: 501, high: 510, owner: 'healer' }] });
    await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: '+08:00' } });
    const { low, high } = await sourceOf('desk 3').reserve('ticket', 10);
    expect(await whoIssued(executor, 'ticket', low, { table })).toMatchObject({
      grants: [{ low, high, owner: 'desk 3' }],
    });
  });

  it.each([0, -1, 1.5, 2 ** 53, Number.NaN])('refuses the id %s', async (id) => {
    await expect((await openLogged(kind)).issuedBy(id)).rejects.toThrow(RangeError);
  });

  it('says that a sequence or the log is missing', async () => {
    const { executor, table } = await kind.open();
    const nowhere = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('ensureSchema') };
    await expect(whoIssued(executor, 'order', 1, { table })).rejects.toMatchObject(nowhere);
    await ensureSchema(executor, { table, log: true });
    await expect(whoIssued(executor, 'order', 1, { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('createSequence'),
    });
  });
});

describe.each(ALL_DIALECTS)('the grant log on $server', (kind) => {
  const sql = SQL[kind.dialect];

  it('has an entry for every reservation, and none for one that failed', async () => {
    const { run, sourceOf } = await openLogged(kind);
    const source = sourceOf('a');
    await Promise.all(Array.from({ length: 20 }, () => source.reserve('order', 3)));
    await expect(source.reserve('nobody', 3)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    await expect(source.reserve('order', 3, { floor: 5_000_000_000 })).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
    });
    const rows = await run('SELECT low, high FROM %t_log ORDER BY low');
    expect(rows.map((row) => ({ low: Number(row.low), high: Number(row.high) }))).toEqual(
      Array.from({ length: 20 }, (_, i) => ({ low: 101 + 3 * i, high: 103 + 3 * i })),
    );
  });

  it('keeps a reservation from being made when its entry cannot be', async () => {
    const { run, sourceOf } = await openLogged(kind);
    for (const statement of sql.refuse) await run(statement);
    await expect(sourceOf('unwanted').reserve('order', 10)).rejects.toThrow();
    expect((await sourceOf('welcome').reserve('order', 10)).low).toBe(101);
  });

  it('is looked for when a sequence is described, so that a service without it does not start', async () => {
    const { executor, table } = await kind.open();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table, log: true });
    const missing = {
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/_log\b.*ensureSchema/),
    };
    await expect(source.describe('order')).rejects.toMatchObject(missing);
    await ensureSchema(executor, { table, log: true });
    await source.describe('order');
  });

  it.each(['', 'x'.repeat(256), 'a\nb'])('refuses the owner %j', (owner) => {
    const make = async () => (await openLogged(kind)).sourceOf(owner);
    return expect(make()).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/\bowner\b.*\b1 to 255\b/),
    });
  });
});

describe('the grant log', () => {
  it('must be a permanent table', async () => {
    const { executor, pool, table } = await openDatabase();
    await ensureSchema(executor, { table, log: true });
    await createSequence(executor, 'order', { table });
    await pool.query(`ALTER TABLE ${table}_log SET UNLOGGED`);
    const source = new SqlSegmentSource(executor, { table, log: true });
    await expect(source.describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('_log'),
    });
  });

  it('can be added by a migration that runs the exported DDL, any number of times', async () => {
    const { executor, pool, schema } = await openDatabase();
    const table = `${schema}.migrated`;
    await pool.query(segmentSchema(table));
    await pool.query(segmentSchema(table, { log: true }));
    await pool.query(segmentSchema(table, { log: true }));
    await createSequence(executor, 'order', { table });
    await new SqlSegmentSource(executor, { table, log: true }).reserve('order', 1);
    expect((await pool.query(`SELECT * FROM ${table}_log`)).rowCount).toBe(1);
  });

  it('refuses a table whose name leaves no room for that of its log', () => {
    expect(() => segmentSchema('t'.repeat(60), { log: true })).toThrow(/_log".*\b59\b/);
    expect(segmentSchema('t'.repeat(59), { log: true })).toContain(`"${'t'.repeat(59)}_log"`);
  });
});
