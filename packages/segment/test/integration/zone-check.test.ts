import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { groupProblem } from '../../src/index.js';
import { createSequence, SqlSegmentSource, sequenceSql } from '../../src/sql/index.js';
import { LocalTime } from './local-time.js';
import { openDatabase } from './sql-database.js';

const byDay = (timeZone: string) => ({ by: 'day', timeZone }) as const;
const failed = (error: Error) => error;

describe('the zone of groups on Postgres', () => {
  it('is one that the database and this process read alike all year', async () => {
    const { pool, executor, table } = await openDatabase();
    const { rows } = await pool.query(
      'SELECT name FROM pg_timezone_names UNION SELECT abbrev FROM pg_timezone_abbrevs',
    );
    // Names with an area differ by the versions of their tables only.
    const zones = rows
      .map(({ name }) => name)
      .filter((name) => !name.includes('/') && groupProblem(byDay(name)) === undefined);
    expect(zones).toEqual(expect.arrayContaining(['IST', 'CET', 'EET', 'MET', 'WET', 'Japan']));
    const days = Array.from({ length: 366 }, (_, day) => (Math.floor(Date.now() / 8.64e7) + day) * 8.64e7);
    const { rows: offsets } = await pool.query(
      `SELECT z, array_agg(1000 * extract(epoch FROM (d AT TIME ZONE z) - (d AT TIME ZONE 'UTC'))::int ORDER BY d) AS ms
       FROM unnest($1::text[]) z, unnest($2::timestamptz[]) d GROUP BY z`,
      [zones, days.map((day) => new Date(day))],
    );
    const alike = offsets.filter(({ z, ms }) => {
      const clocks = new LocalTime(z);
      return days.every((day, place) => clocks.offsetAt(day) === ms[place]);
    });
    const created: string[] = [];
    for (const timeZone of zones) {
      await createSequence(executor, timeZone, { table, group: byDay(timeZone) }).then(
        () => created.push(timeZone),
        ({ code }) => expect(code).toBe('ERR_IDS_CONFIG'),
      );
    }
    expect(created.toSorted()).toEqual(alike.map(({ z }) => z).toSorted());
  });

  it.each([
    ['IST', '+02:00', 'Asia/Kolkata'],
    ['CET', '+01:00', 'Europe/Brussels'],
    ['NST', '-03:30', 'Pacific/Auckland'],
  ])(
    '%s is refused with what to write instead, also where it stands in a row',
    async (timeZone, ...instead) => {
      const { pool, executor, table } = await openDatabase();
      const refusal = await createSequence(executor, 'new', { table, group: byDay(timeZone) }).catch(failed);
      expect(refusal).toMatchObject({ code: 'ERR_IDS_CONFIG' });
      for (const zone of instead) {
        expect(String(refusal)).toContain(`"${zone}"`);
        await createSequence(executor, zone, { table, group: byDay(zone) });
      }
      await pool.query(sequenceSql("it's", { table, group: byDay(timeZone) }));
      const source = new SqlSegmentSource(executor, { table });
      const { high } = await source.reserve("it's", 1);
      const advice = await source.describe("it's").catch(failed);
      expect(advice).toMatchObject({ code: 'ERR_IDS_CONFIG' });
      await pool.query(/UPDATE .*? WHERE server_name = '.*?'(?=,)/.exec(String(advice))?.[0] ?? 'none');
      expect((await source.describe("it's")).group).toEqual(byDay(instead[0] ?? ''));
      expect((await source.reserve("it's", 1)).low).toBe(high + 1);
    },
  );

  it('with an area is a warning, where only versions of the tables differ', async () => {
    const { pool, executor, table } = await openDatabase();
    await pool.query(sequenceSql('order', { table, group: byDay('Europe/Berlin') }));
    const source = new SqlSegmentSource(executor, { table });
    const zones = async () => String((await source.describe('order')).warnings).match(/Europe\/\w+/g);
    expect(await zones()).toBeNull();
    class WithOtherTables extends Intl.DateTimeFormat {
      constructor(locales: string, options: Intl.DateTimeFormatOptions) {
        super(locales, { ...options, timeZone: 'Europe/London' });
      }
    }
    vi.stubGlobal('Intl', Object.create(Intl, { DateTimeFormat: { value: WithOtherTables } }));
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await zones()).toEqual(['Europe/Berlin']);
  });
});
