import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import { type ReservedSegment, SequenceMovedError } from '../../src/index.js';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  setFloor,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { type ALL_DIALECTS, CLIENTS, IN_FILES, type TestTable } from './dialects.js';
import { openPool } from './sql-database.js';

const SKIP = 1_000;

/** What operators do to a table that leaves its reign alone; the last one while it is used. */
const MAINTENANCE = {
  postgres: {
    maintenance: ['VACUUM (FREEZE) %t', 'VACUUM FULL %t', 'CLUSTER %t USING id_segment_pkey'],
    whileUsed: 'VACUUM (FREEZE) %t',
  },
  // OPTIMIZE and ALTER create the table again, which looks like a restore.
  mysql: { maintenance: ['ANALYZE TABLE %t', 'FLUSH TABLES %t'], whileUsed: 'ANALYZE TABLE %t' },
  sqlite: { maintenance: ['VACUUM', 'REINDEX %t', 'ANALYZE'], whileUsed: 'REINDEX %t' },
} as const;

interface Sequence extends TestTable {
  readonly source: SqlSegmentSource;
  /** A process of its own, which has seen nothing. */
  readonly newcomer: (options?: SqlSegmentSourceOptions) => SqlSegmentSource;
}

async function openSequence(
  { open }: (typeof ALL_DIALECTS)[number],
  options: SqlSegmentSourceOptions = {},
): Promise<Sequence> {
  const database = await open();
  const { executor, table } = database;
  await createSequence(executor, 'order', { table });
  const newcomer = (own: SqlSegmentSourceOptions = {}) =>
    new SqlSegmentSource(executor, { table, afterRestore: SKIP, afterFailover: 0, ...options, ...own });
  return { ...database, newcomer, source: newcomer() };
}

/** Dumps the table with `before` ids reserved, lets `lost` more be reserved, and restores it. */
async function restoreAfter({ source, dump }: Sequence, before: number, lost: number): Promise<void> {
  await source.reserve('order', before);
  const restore = await dump();
  await source.reserve('order', lost);
  await injectFault(restore);
}

const restored = { cause: 'restore', skipped: SKIP };

describe.each([...CLIENTS, IN_FILES])('a table on $server that was restored from a dump', (kind) => {
  faultTest('is noticed by a process that knows nothing, which skips what the dump lacks', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    const segment = await sequence.newcomer().reserve('order', 10);
    expect(segment).toEqual({ low: 101 + SKIP, high: 110 + SKIP, origin, newReign: restored });
    expect(await sequence.newcomer().reserve('order', 10)).toEqual({
      low: 111 + SKIP,
      high: 120 + SKIP,
      origin,
    });
  });

  faultTest('is skipped ahead in by 10,000,000 ids unless told otherwise', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    const { executor, table } = sequence;
    const { low } = await new SqlSegmentSource(executor, { table }).reserve('order', 1);
    expect(low).toBeGreaterThanOrEqual(10_000_101);
    // Where the skip grows, by the age of the row.
    expect(low).toBeLessThan(10_100_000);
  });

  faultTest('is noticed before anything was reserved from it', async () => {
    const sequence = await openSequence(kind);
    const restore = await sequence.dump();
    await sequence.source.reserve('order', 50);
    await injectFault(restore);
    expect((await sequence.source.reserve('order', 1)).low).toBe(SKIP + 1);
  });

  faultTest('is noticed by one of many reservations that are made at once', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    const calls = Array.from({ length: 8 }, () => sequence.newcomer().reserve('order', 10));
    const segments = await Promise.all(calls);
    expect(segments.filter(({ newReign }) => newReign !== undefined)).toHaveLength(1);
    expect(segments.map(({ low }) => low).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 8 }, (_, i) => 101 + SKIP + 10 * i),
    );
  });

  faultTest('is raised above a floor and what is skipped on top of it', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    const segment = await sequence.newcomer().reserve('order', 10, { floor: 130 });
    expect(segment).toEqual({ low: 131 + SKIP, high: 140 + SKIP, origin, newReign: restored });
  });

  faultTest('is reserved from behind an expected id once, above what is skipped', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    const reserve = () => sequence.newcomer().reserve('order', 10, { expectedMaxId: 100 });
    const results = await Promise.allSettled([reserve(), reserve(), reserve()]);
    const made = results.filter(({ status }) => status === 'fulfilled');
    expect(made).toEqual([
      { status: 'fulfilled', value: { low: 101 + SKIP, high: 110 + SKIP, origin, newReign: restored } },
    ]);
    await expect(reserve()).rejects.toThrow(SequenceMovedError);
  });

  faultTest('is refused until a floor was set, where that is asked for, and described as such', async () => {
    const sequence = await openSequence(kind, { afterRestore: 'refuse' });
    await restoreAfter(sequence, 100, 50);
    const newcomer = sequence.newcomer();
    const refused = {
      code: 'ERR_IDS_REGRESSED',
      retryable: false,
      message: expect.stringContaining('setFloor'),
    };
    await expect(newcomer.reserve('order', 10)).rejects.toMatchObject(refused);
    await expect(newcomer.reserve('order', 10, { floor: 130 })).rejects.toMatchObject(refused);
    await expect(newcomer.reserve('order', 10, { expectedMaxId: 100 })).rejects.toMatchObject(refused);
    const { warnings } = await newcomer.describe('order');
    expect(warnings).toContainEqual(expect.stringContaining('setFloor'));
    expect(Number((await sequence.run('SELECT max_id FROM %t'))[0]?.max_id)).toBe(100);
    await setFloor(sequence.executor, 'order', 120, { table: sequence.table });
    await expect(newcomer.reserve('order', 10)).rejects.toMatchObject(refused);
    await setFloor(sequence.executor, 'order', 150, { table: sequence.table, checked: true });
    expect(await newcomer.reserve('order', 10)).toEqual({ low: 151, high: 160, origin });
  });

  for (const floor of [30, 130]) {
    faultTest(`is still skipped ahead in, above a floor of ${floor} that was set twice`, async () => {
      const sequence = await openSequence(kind);
      const { executor, table, newcomer } = sequence;
      await restoreAfter(sequence, 100, 50);
      for (let twice = 0; twice < 2; twice++) await setFloor(executor, 'order', floor, { table });
      expect((await newcomer().describe('order')).pending).toBe('restore');
      const low = Math.max(100, floor) + SKIP + 1;
      expect(await newcomer().reserve('order', 10)).toEqual({
        low,
        high: low + 9,
        origin,
        newReign: restored,
      });
      expect(await newcomer().describe('order')).not.toHaveProperty('pending');
    });
  }

  faultTest('repeats ids if a floor that is too low ends the skip, as only `checked` does', async () => {
    const sequence = await openSequence(kind);
    const { executor, table, newcomer } = sequence;
    await restoreAfter(sequence, 100, 50);
    await setFloor(executor, 'order', 130, { table, checked: true });
    expect((await newcomer().reserve('order', 10)).low).toBeLessThanOrEqual(150);
  });

  faultTest('is skipped ahead in no more after a floor that was checked', async () => {
    const sequence = await openSequence(kind);
    const { executor, table, newcomer } = sequence;
    await restoreAfter(sequence, 100, 50);
    expect(await newcomer().describe('order')).toMatchObject({ pending: 'restore' });
    await setFloor(executor, 'order', 150, { table, checked: true });
    expect(await newcomer().describe('order')).not.toHaveProperty('pending');
    expect(await newcomer().reserve('order', 10)).toEqual({ low: 151, high: 160, origin });
  });

  faultTest('is not noticed twice, also where its log is kept', async () => {
    const { executor, table, ...sequence } = await openSequence(kind, { log: true });
    await ensureSchema(executor, { table, log: true });
    await restoreAfter({ executor, table, ...sequence }, 100, 50);
    expect(await sequence.newcomer().reserve('order', 10)).toMatchObject({ newReign: restored });
    expect(await sequence.newcomer().reserve('order', 10)).not.toHaveProperty('newReign');
  });

  faultTest('is refused where what is to be skipped leaves the day', async () => {
    const sequence = await openSequence(kind, { afterRestore: 10 ** 8 });
    const { executor, table, newcomer } = sequence;
    await createSequence(executor, 'ticket', { table, group: { by: 'day', timeZone: '+08:00' } });
    const restore = await sequence.dump();
    await newcomer().reserve('ticket', 5);
    await injectFault(restore);
    await expect(newcomer().reserve('ticket', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringMatching(/"ticket".*\b100000000\b/),
    });
    expect(await newcomer({ afterRestore: SKIP }).reserve('ticket', 1)).toMatchObject({ newReign: restored });
  });
});

describe.each([...CLIENTS, IN_FILES])('a table on $server that nothing happened to', (kind) => {
  const { maintenance, whileUsed } = MAINTENANCE[kind.dialect];

  it('raises no alarm under 16 clients, old and new ones and operators among them', async () => {
    const { run, table, executor, another } = await openSequence(kind);
    const wide = await another(16);
    // A file is synced several times for each reservation, and over HTTP each statement connects anew.
    const each = kind.dialect === 'sqlite' || kind.server.includes('HTTP') ? 20 : 100;
    const segments: ReservedSegment[] = [];
    const client = async (): Promise<void> => {
      const source = new SqlSegmentSource(wide, { table });
      for (let i = 0; i < each; i++) segments.push(await source.reserve('order', 1));
    };
    let busy = true;
    const others = async (): Promise<void> => {
      while (busy) {
        await run(`UPDATE %t SET max_id = max_id + 1 WHERE server_name = 'order'`);
        await setFloor(executor, 'order', 5, { table });
        await run(whileUsed);
      }
    };
    const disturbing = others();
    await Promise.all(Array.from({ length: 16 }, client));
    busy = false;
    await disturbing;
    expect(segments).toHaveLength(16 * each);
    expect(segments.filter(({ newReign }) => newReign !== undefined)).toEqual([]);
    expect(new Set(segments.map(({ low }) => low)).size).toBe(16 * each);
  });

  it.each(maintenance)('is not skipped after %s', async (command) => {
    const { source, run } = await openSequence(kind);
    await source.reserve('order', 10);
    await run(command);
    expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
  });

  it('is not skipped after an UPDATE by hand, which raises it', async () => {
    const { source, run } = await openSequence(kind);
    await source.reserve('order', 10);
    await run('UPDATE %t SET max_id = 500');
    expect(await source.reserve('order', 10)).toEqual({ low: 501, high: 510, origin });
  });
});

describe.each([...CLIENTS, IN_FILES])('a change of the reign on $server', (kind) => {
  faultTest('is not hidden by an UPDATE that knows nothing of it', async () => {
    const sequence = await openSequence(kind);
    await restoreAfter(sequence, 100, 50);
    await sequence.run('UPDATE %t SET max_id = max_id + 5');
    expect(await sequence.newcomer().reserve('order', 1)).toMatchObject({ low: 106 + SKIP });
  });
});

it.each([
  [{ afterRestore: -1 }, RangeError],
  [{ afterFailover: 1.5 }, RangeError],
  [{ afterFailover: 'stop' as 'refuse' }, /"afterFailover": must be "refuse", a whole number.*got "stop"/],
])('SqlSegmentSource refuses %o', async (options, error) => {
  const executor = fromPg(openPool());
  expect(() => new SqlSegmentSource(executor, options)).toThrow(error);
});
