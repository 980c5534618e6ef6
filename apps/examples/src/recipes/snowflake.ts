import { type Layout, lowestIdAt, parseSnowflake } from '@ids/snowflake';
import type { Pool } from 'pg';

/** When an id was issued, for a table without a column for that. */
export function issuedAt(id: number, layout: Layout): Date {
  return parseSnowflake(id, layout).date;
}

/** The orders since `since`, by the primary key alone; up to three seconds may be missing or too many. */
export async function ordersSince(pool: Pool, since: Date, layout: Layout): Promise<number[]> {
  const lowest = lowestIdAt(since.getTime(), layout);
  const { rows } = await pool.query('SELECT id FROM orders WHERE id >= $1 ORDER BY id', [lowest]);
  return rows.map(({ id }) => Number(id));
}
