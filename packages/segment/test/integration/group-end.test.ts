import { describe, expect, it } from 'vitest';
import { parseTicket } from '../../src/index.js';
import { GROUP_END, postgresZone } from '../../src/postgres/groups.js';
import { createSequence, fromPg, SqlSegmentSource } from '../../src/sql/index.js';
import { LocalTime } from './local-time.js';
import { type GroupEnd, groupEndsNearShifts } from './shifts.js';
import { openDatabase, openPool } from './sql-database.js';

/** They have skipped days, midnights that are missing or come twice, and rules of the future. */
const YEARS = [1994, 2011, 2014, 2024, 2026, 2027];

/** The zones that both Postgres and the platform know, one of each group of synonyms. */
async function zones(pool: ReturnType<typeof openPool>): Promise<string[]> {
  const { rows } = await pool.query(`SELECT name FROM pg_timezone_names WHERE name LIKE '%/%' ORDER BY name`);
  const known = new Map<string, string>();
  for (const { name } of rows as { name: string }[]) {
    try {
      known.set(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone, name);
    } catch {
      // Forms such as posix/Europe/Paris.
    }
  }
  return [...known.values()];
}

/**
 * The end of each group as the statements compute it, and what clocks show at each probe
 * by the tables of Postgres.
 */
async function ask(pool: ReturnType<typeof openPool>, ends: readonly GroupEnd[]) {
  const { rows } = await pool.query({
    text: `
SELECT extract(epoch FROM ${GROUP_END})::float8 * 1000,
  (SELECT array_agg(to_char(to_timestamp(ms::float8 / 1000) AT TIME ZONE time_zone, 'YYYY-MM-DD HH24:MI:SS') ORDER BY i)
    FROM jsonb_array_elements_text(probes) WITH ORDINALITY AS probe(ms, i))
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::jsonb[]) AS g(max_id, group_by, time_zone, probes)`,
    values: [
      ends.map(({ maxId }) => maxId),
      ends.map(({ by }) => by),
      ends.map(({ timeZone }) => timeZone),
      ends.map(({ probes }) => JSON.stringify(probes)),
    ],
    rowMode: 'array',
  });
  return rows as [number, string[]][];
}

describe('the end of a group', () => {
  it('is the first instant with a later date, in all zones of Postgres, near each shift of their clocks', async () => {
    const pool = openPool();
    const ends = (await zones(pool)).flatMap((zone) =>
      YEARS.flatMap((year) => groupEndsNearShifts(zone, year)),
    );
    // Set forward at 23:30, so that the date changes in the middle of the missing hour.
    ends.push(...groupEndsNearShifts('America/Toronto', 1919));
    const answers = await ask(pool, ends);
    const wrong: string[] = [];
    const compared = { day: 0, month: 0, year: 0 };
    for (const [i, { timeZone, by, maxId, endMs, probes }] of ends.entries()) {
      const [actualMs = Number.NaN, shown = []] = answers[i] ?? [];
      const clocks = new LocalTime(timeZone);
      // Releases of the tz database differ in the rules of a few zones: nothing can be compared there.
      if (probes.some((probe, j) => clocks.at(probe) !== shown[j])) continue;
      compared[by] += 1;
      if (actualMs === endMs) continue;
      const [actual, expected] = [actualMs, endMs].map((ms) => new Date(ms).toISOString());
      wrong.push(`${timeZone} ${maxId}: ${actual} instead of ${expected}`);
    }
    expect(wrong).toEqual([]);
    expect(compared.day).toBeGreaterThan(0.95 * ends.filter(({ by }) => by === 'day').length);
    expect(compared.day).toBeGreaterThan(3_000);
    expect(compared.month).toBeGreaterThan(100);
    expect(compared.year).toBeGreaterThan(0);
  }, 240_000);

  it.each(['+05:45', '-03:30', '+00:00:30', '-14:00'])(
    'is midnight by a fixed offset, %s',
    async (timeZone) => {
      const midnight = Date.UTC(2026, 11, 1) - new LocalTime(timeZone).offsetAt(Date.UTC(2026, 11, 1));
      const zone = postgresZone({ by: 'day', timeZone });
      const group = { timeZone: zone, endMs: midnight, probes: [] };
      const answers = await ask(openPool(), [
        { ...group, by: 'day', maxId: 2026113000000042 },
        { ...group, by: 'month', maxId: 2026110000000042 },
        { ...group, by: 'year', maxId: 2025000000000042 },
      ]);
      const newYear = midnight - 334 * 86_400_000;
      expect(answers.map(([endMs]) => endMs)).toEqual([midnight, midnight, newYear]);
    },
  );
});

/**
 * A database whose `now()` is set by the test: that function of the schema comes before the one of Postgres.
 */
async function openDatabaseWithClock() {
  const { pool, schema, table } = await openDatabase();
  await pool.query(`
CREATE TABLE ${schema}.clock AS SELECT now() AS at;
CREATE FUNCTION ${schema}.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM ${schema}.clock'`);
  const options = `-c search_path=${schema},pg_catalog`;
  return {
    table,
    /** As a process of its own would have it. */
    executor: () => fromPg(openPool({ options })),
    setClock: (at: string) => pool.query(`UPDATE ${schema}.clock SET at = $1`, [at]),
  };
}

describe.each([
  ['comes twice', 'America/Havana', '2026-10-31', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['comes twice', 'Atlantic/Azores', '2026-10-24', '2026-10-25T00:00:00Z', '2026-10-26T01:00:00Z'],
  [
    'comes after an hour that comes twice',
    'America/Santiago',
    '2026-04-04',
    '2026-04-05T04:00:00Z',
    '2026-04-06T04:00:00Z',
  ],
  ['is missing', 'Africa/Cairo', '2026-04-23', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  ['is missing', 'Asia/Beirut', '2026-03-28', '2026-03-28T22:00:00Z', '2026-03-29T21:00:00Z'],
  ['is missing', 'America/Santiago', '2026-09-05', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
  ['comes an hour early', 'America/Nuuk', '2026-03-28', '2026-03-29T01:00:00Z', '2026-03-30T01:00:00Z'],
])('a day whose last midnight %s, in %s, %s,', (_, timeZone, date, midnight, nextMidnight) => {
  it('ends for those who hold ids of it when the database begins to give ids of the next one', async () => {
    const { table, executor, setClock } = await openDatabaseWithClock();
    await createSequence(executor(), 'order', { table, group: { by: 'day', timeZone } });
    const sources = [executor(), executor()].map((each) => new SqlSegmentSource(each, { table }));
    /** Reserves in one of two processes at an instant; expects that the ids die when the day ends. */
    const reserve = async (process: number, at: number, dayEnd: number) => {
      await setClock(new Date(at).toISOString());
      const before = performance.now();
      const { low, expiresAt } = (await sources[process]?.reserve('order', 5)) ?? { low: 0 };
      expect(expiresAt).toBeGreaterThanOrEqual(before + (dayEnd - at));
      expect(expiresAt).toBeLessThanOrEqual(performance.now() + (dayEnd - at));
      return parseTicket(low);
    };
    const [end, nextEnd] = [Date.parse(midnight), Date.parse(nextMidnight)];
    const today = date.replaceAll('-', '');
    const tomorrow = new LocalTime(timeZone).dateAt(end);
    expect(tomorrow > today).toBe(true);
    expect(await reserve(0, end - 10_000, end)).toEqual({ group: today, number: 1 });
    expect(await reserve(1, end, nextEnd)).toEqual({ group: tomorrow, number: 1 });
    // When the hour after midnight comes again, if it does.
    expect(await reserve(0, end + 3_600_000, nextEnd)).toEqual({ group: tomorrow, number: 6 });
    expect(await reserve(1, nextEnd - 1, nextEnd)).toEqual({ group: tomorrow, number: 11 });
  });
});
