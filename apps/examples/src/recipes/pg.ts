import type { IdGenerator } from '@ids/core';
import type { Pool } from 'pg';

/**
 * Inserts many rows with one request for ids and one statement; resolves with the ids,
 * in the order of `items`.
 */
export async function insertOrders(
  pool: Pool,
  ids: IdGenerator<number>,
  items: readonly string[],
): Promise<number[]> {
  const orderIds = await ids.nextBatch(items.length);
  await pool.query('INSERT INTO orders (id, item) SELECT * FROM unnest($1::bigint[], $2::text[])', [
    orderIds,
    items,
  ]);
  return orderIds;
}
