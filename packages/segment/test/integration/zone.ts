import type pg from 'pg';
import { LocalTime } from './local-time.js';

/**
 * A fixed offset in which a new day begins, by the database's clock, within the last of
 * `seconds` seconds from now.
 */
export async function zoneWithMidnightIn(pool: pg.Pool, seconds: number): Promise<string> {
  const { rows } = await pool.query(
    `SELECT extract(epoch FROM now())::float8 AS now, to_char(now() AT TIME ZONE 'UTC', 'SSSS')::int AS of_day`,
  );
  const untilMidnight = 86_400 - rows[0].of_day - seconds;
  const offset = untilMidnight > 43_200 ? untilMidnight - 86_400 : untilMidnight;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const distance = Math.abs(offset);
  const clock = [distance / 3600, (distance / 60) % 60, distance % 60].map(two).join(':');
  return `${offset < 0 ? '-' : '+'}${clock}`;
}

/** The date in `timeZone` by the database's clock, as `20261121`, so many days on. */
export async function dateIn(pool: pg.Pool, timeZone: string, days = 0): Promise<string> {
  const { rows } = await pool.query(`SELECT extract(epoch FROM now())::float8 * 1000 AS ms`);
  return new LocalTime(timeZone).dateAt(rows[0].ms + days * 86_400_000);
}
