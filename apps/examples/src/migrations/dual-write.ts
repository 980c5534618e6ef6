import type { IdGenerator } from '@ids/core';
import type { Pool } from 'pg';
import { uuidOfObjectId } from './objectid-uuid.js';

/** Both keys of a new row. */
export interface BothKeys {
  readonly id: string;
  readonly uid: string | number;
}

/** An old key from what made it until now, and a new one from the generator. */
export function issuedKeys(oldKey: () => string, ids: IdGenerator<string> | IdGenerator<number>) {
  return async (): Promise<BothKeys> => ({ id: oldKey(), uid: await ids.next() });
}

/** An ObjectId and its UUID, so that who has one of them can compute the other. */
export function computedKeys(objectId: () => string) {
  return async (): Promise<BothKeys> => {
    const id = objectId();
    return { id, uid: uuidOfObjectId(id) };
  };
}

/**
 * Adds an order with both keys; resolves with the old one. A call that failed after its commit and is made
 * again adds a second order, as before the migration.
 */
export async function insertOrder(pool: Pool, keys: () => Promise<BothKeys>, item: string): Promise<string> {
  const { id, uid } = await keys();
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
