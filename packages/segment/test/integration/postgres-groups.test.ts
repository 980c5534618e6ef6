import { describe, expect, it } from 'vitest';
import { parseTicket } from '../../src/index.js';
import { createSequence, type SqlExecutor, SqlSegmentSource, setFloor } from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { openDatabase, type TestDatabase } from './sql-database.js';
import { dateIn, zoneWithMidnightIn } from './zone.js';

/** What is skipped by default above a floor that the table was below. */
const SKIP = 10_000_000;

const NAME = '排队号';

async function openTickets(
  timeZone: string,
  by: 'day' | 'month' | 'year' = 'day',
): Promise<TestDatabase & { readonly source: SqlSegmentSource }> {
  const database = await openDatabase();
  const { executor, table } = database;
  await createSequence(executor, NAME, { table, group: { by, timeZone } });
  return { ...database, source: new SqlSegmentSource(executor, { table }) };
}

describe('a sequence with groups on Postgres', () => {
  it.each(['Asia/Shanghai', 'America/Los_Angeles', 'Pacific/Kiritimati', 'UTC', '+05:45', '-03:30'])(
    'counts from 1 in the day that it is in %s',
    async (timeZone) => {
      const { pool, source } = await openTickets(timeZone);
      const date = await dateIn(pool, timeZone);
      const { low, high } = await source.reserve(NAME, 5);
      expect([parseTicket(low).number, parseTicket(high).number]).toEqual([1, 5]);
      expect([date, await dateIn(pool, timeZone)]).toContain(parseTicket(low).group);
    },
  );

  it.each([
    ['month', 6],
    ['year', 4],
  ] as const)('counts from 1 in each %s', async (by, digits) => {
    const { pool, source } = await openTickets('Asia/Shanghai', by);
    const date = await dateIn(pool, 'Asia/Shanghai');
    const { low } = await source.reserve(NAME, 5);
    expect(parseTicket(low, { by })).toEqual({ group: date.slice(0, digits), number: 1 });
    expect((await source.reserve(NAME, 1)).low).toBe(low + 5);
  });

  it('stays in the later day when it stands there and the clock of a new primary is a little behind', async () => {
    const { executor, pool, table } = await openDatabase();
    const timeZone = await zoneWithMidnightIn(pool, 30);
    await createSequence(executor, NAME, { table, group: { by: 'day', timeZone } });
    const source = new SqlSegmentSource(executor, { table });
    const tomorrow = Number(await dateIn(pool, timeZone, 1)) * 1e8;
    await setFloor(executor, NAME, tomorrow + 3, { table });
    const { low, expiresAt = 0 } = await source.reserve(NAME, 1);
    expect(low).toBe(tomorrow + 4);
    expect(expiresAt - performance.now()).toBeGreaterThan(86_000_000);
  });

  it.each([
    [{ by: 'week', timeZone: 'UTC' }, /"by" must be "day", "month" or "year", got "week"/],
    [{ by: 'day' }, /"timeZone" must be a name such as "Asia\/Shanghai" .* got undefined/],
    [{ by: 'day', timeZone: 'Asia/Shanhai' }, /got "Asia\/Shanhai"/],
    [{ by: 'day', timeZone: 'UTC+8' }, /an offset such as "\+08:00", got "UTC\+8"/],
    [{ by: 'day', timeZone: '+25:00' }, /got "\+25:00"/],
    ['day', /must be \{ by, timeZone \}, got "day"/],
  ])('is not created with the groups %o', async (group, message) => {
    const { executor, table } = await openDatabase();
    const options = { table, group } as unknown as Parameters<typeof createSequence>[2];
    await expect(createSequence(executor, NAME, options)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(message),
    });
  });
});

/** Keeps the texts that are sent through it, changed by `change` on their way. */
function recording(executor: SqlExecutor, change: (text: string) => string = (text) => text) {
  const texts: string[] = [];
  const recorded: SqlExecutor = {
    ...executor,
    execute: (text, values, signal) => {
      texts.push(text);
      return executor.execute(change(text), values, signal);
    },
  };
  return { texts, recorded };
}

describe('the statement of a reservation', () => {
  it('is short and knows no dates for a sequence without groups', async () => {
    const { executor, table } = await openDatabase();
    await createSequence(executor, NAME, { table });
    const { texts, recorded } = recording(executor);
    const source = new SqlSegmentSource(recorded, { table, afterRestore: SKIP });
    await source.describe(NAME);
    texts.length = 0;
    expect(await source.reserve(NAME, 5)).toEqual({ low: 1, high: 5, origin });
    expect(texts).toHaveLength(1);
    expect(await source.reserve(NAME, 5, { floor: 50 })).toEqual({ low: 51 + SKIP, high: 55 + SKIP, origin });
    const reservations = texts.filter((text) => /^UPDATE/m.test(text));
    expect(reservations).toHaveLength(2);
    for (const text of reservations) {
      expect(text).not.toMatch(/to_char|time_zone/);
      // With groups, it has twice as many.
      expect(text.length).toBeLessThan(3_200);
    }
  });

  it('is one, too, for a sequence whose groups are known', async () => {
    const { executor, table } = await openTickets('Asia/Shanghai');
    const { texts, recorded } = recording(executor);
    const source = new SqlSegmentSource(recorded, { table });
    await source.describe(NAME);
    texts.length = 0;
    await source.reserve(NAME, 5);
    await source.reserve(NAME, 5);
    expect(texts).toHaveLength(2);
  });

  /** A source that has described a sequence, which is given groups afterwards. */
  async function openGroupedLater(change?: (text: string) => string) {
    const { executor, pool, table } = await openDatabase();
    await createSequence(executor, NAME, { table });
    const { texts, recorded } = recording(executor, change);
    const source = new SqlSegmentSource(recorded, { table });
    await source.describe(NAME);
    expect(await source.reserve(NAME, 5)).toEqual({ low: 1, high: 5, origin });
    await pool.query(`UPDATE ${table} SET group_by = 'day', time_zone = 'Asia/Shanghai'`);
    texts.length = 0;
    return { source, pool, texts };
  }

  it.each([
    ['any segment', {}],
    ['one above a floor', { floor: 5 }],
    ['one behind an id', { expectedMaxId: 5 }],
  ])('that asks for %s finds groups which the sequence was given since', async (_, options) => {
    const { source, pool, texts } = await openGroupedLater();
    const date = await dateIn(pool, 'Asia/Shanghai');
    const { low, expiresAt } = await source.reserve(NAME, 5, options);
    expect(parseTicket(low).number).toBe(1);
    expect([date, await dateIn(pool, 'Asia/Shanghai')]).toContain(parseTicket(low).group);
    expect(expiresAt).toBeGreaterThan(performance.now());
    texts.length = 0;
    expect((await source.reserve(NAME, 5)).low).toBe(low + 5);
    expect(texts).toHaveLength(1);
  });

  it('would give ids without a date to them, if it did not ask whether there are groups', async () => {
    const { source } = await openGroupedLater((text) => text.replaceAll('AND group_by IS NULL', ''));
    expect(await source.reserve(NAME, 5)).toEqual({ low: 6, high: 10, origin });
  });

  it('goes on without groups where they were taken away', async () => {
    const { source, pool, table } = await openTickets('Asia/Shanghai');
    const { high } = await source.reserve(NAME, 5);
    await pool.query(`UPDATE ${table} SET group_by = NULL, time_zone = NULL`);
    expect(await source.reserve(NAME, 5)).toEqual({ low: high + 1, high: high + 5, origin });
    await source.describe(NAME);
    expect(await source.reserve(NAME, 5)).toEqual({ low: high + 6, high: high + 10, origin });
  });
});
