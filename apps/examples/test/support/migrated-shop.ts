import type { Pool } from 'pg';
import type { KeyColumn } from '../../src/migrations/backfill.js';

export interface Order {
  readonly item: string;
  readonly key: string;
  /** How many rows of `order_lines` refer to it. */
  readonly lines: number;
}

/** All orders by their item, which is unique, with the lines that refer to them by that key. */
export async function ordersBy(pool: Pool, { name }: KeyColumn): Promise<Order[]> {
  const { rows } = await pool.query<Order>(
    `SELECT orders.item, orders.${name}::text AS key, count(order_lines.item)::int AS lines
     FROM orders LEFT JOIN order_lines ON order_lines.order_${name} = orders.${name}
     GROUP BY orders.item, orders.${name} ORDER BY orders.item`,
  );
  return rows;
}

/** `orders` with the given keys, one for each second of yesterday, and two lines for each. */
export async function createOldShop(
  pool: Pool,
  type: KeyColumn['type'],
  keys: readonly string[],
): Promise<void> {
  await pool.query('DROP TABLE orders');
  await pool.query(
    `CREATE TABLE orders (id ${type} PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), item text NOT NULL)`,
  );
  await pool.query(
    `CREATE TABLE order_lines (line bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item text NOT NULL,
      order_id ${type} NOT NULL REFERENCES orders (id))`,
  );
  await pool.query(
    `INSERT INTO orders (id, created_at, item)
     SELECT key, now() - interval '1 day' + nr * interval '1 second', 'old ' || nr
     FROM unnest($1::${type}[]) WITH ORDINALITY AS given (key, nr)`,
    [keys],
  );
  await pool.query(
    "INSERT INTO order_lines (order_id, item) SELECT id, 'of ' || orders.item FROM orders, generate_series(1, 2)",
  );
}
