import type pg from 'pg';

/** A fixed offset in which a new day begins, by the database's clock, within the last of `seconds` seconds from now. */
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
  const date = new Date(rows[0].ms + days * 86_400_000 + offsetMs(timeZone, rows[0].ms));
  return date.toISOString().slice(0, 10).replaceAll('-', '');
}

/** Of the platform's own tables, not of Postgres's. */
function offsetMs(timeZone: string, atMs: number): number {
  const fixed = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(timeZone);
  if (fixed !== null) {
    const [, sign, hours, minutes, seconds = '0'] = fixed;
    return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  }
  const parts = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${parts.format(atMs)}Z`.replace(' ', 'T')) - Math.floor(atMs / 1000) * 1000;
}
