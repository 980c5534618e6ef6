import type { Pool } from 'pg';

/** A row that gets its new key. */
export interface OldRow {
  readonly key: string;
  readonly created_at: Date;
}

/** One key column of `orders` and its type. `order_lines` refers to it as `order_id` or `order_uid`. */
export interface KeyColumn {
  readonly name: 'id' | 'uid';
  readonly type: 'text' | 'uuid' | 'bigint';
}

export interface Backfill {
  readonly from: KeyColumn;
  readonly to: KeyColumn;
  /** New keys for rows, in the same order. Those of rows that got one meanwhile are not used. */
  keysFor(rows: readonly OldRow[]): Promise<readonly (string | number)[]>;
  /** Rows in one transaction; 1,000 by default. */
  readonly batch?: number;
}

/** Below every key of a type. */
const BELOW = { text: '', uuid: null, bigint: '0' } as const;

/**
 * Gives a new key to each order without one, and to the lines of all orders, in batches by the old key.
 * Resolves with the number of orders that got one.
 *
 * Each batch commits by itself and changes only what is still null. So it may be run again, or ended at any
 * time. Two that run at the same time give each row one key; at worst one of them ends with a deadlock.
 */
export async function backfill(pool: Pool, { from, to, keysFor, batch = 1_000 }: Backfill): Promise<number> {
  const select = `SELECT ${from.name} AS key, created_at, ${to.name} IS NULL AS lacking FROM orders
    WHERE ${from.name} > $1 OR $1 IS NULL ORDER BY ${from.name} LIMIT $2`;
  const fill = `UPDATE orders SET ${to.name} = given.fresh
    FROM unnest($1::${from.type}[], $2::${to.type}[]) AS given (key, fresh)
    WHERE orders.${from.name} = given.key AND orders.${to.name} IS NULL`;
  const refer = `UPDATE order_lines SET order_${to.name} = orders.${to.name} FROM orders
    WHERE orders.${from.name} = order_lines.order_${from.name} AND orders.${from.name} = ANY($1::${from.type}[])
      AND order_lines.order_${to.name} IS NULL`;

  let filled = 0;
  let last: string | null = BELOW[from.type];
  for (;;) {
    const { rows } = await pool.query<OldRow & { lacking: boolean }>(select, [last, batch]);
    const end = rows.at(-1);
    if (end === undefined) return filled;
    const lacking = rows.filter((row) => row.lacking);
    if (lacking.length > 0) {
      const fresh = await keysFor(lacking);
      filled += (await pool.query(fill, [lacking.map(({ key }) => key), fresh])).rowCount ?? 0;
    }
    await pool.query(refer, [rows.map(({ key }) => key)]);
    last = end.key;
  }
}
