import type { IdGenerator } from '@ids/core';
import type { Pool } from 'pg';

/** Writes both keys: what issues the old ones, and the generator of the new ones. */
export interface BothKeys {
  oldKey(): string;
  readonly ids: IdGenerator<string> | IdGenerator<number>;
}

/**
 * Adds an order with both keys; resolves with the old one. A call that failed after its commit and is made
 * again adds a second order, as before the migration.
 */
export async function insertOrder(pool: Pool, { oldKey, ids }: BothKeys, item: string): Promise<string> {
  const [id, uid] = [oldKey(), await ids.next()];
  await pool.query('INSERT INTO orders (id, uid, item) VALUES ($1, $2, $3)', [id, uid, item]);
  return id;
}

/** Adds a line. `order_uid` stays null if the order has no new key yet; the backfill fills it in. */
export async function insertLine(pool: Pool, orderId: string, item: string): Promise<void> {
  await pool.query(
    'INSERT INTO order_lines (order_id, order_uid, item) SELECT id, uid, $2 FROM orders WHERE id = $1',
    [orderId, item],
  );
}
