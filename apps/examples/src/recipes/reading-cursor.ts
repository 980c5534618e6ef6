import type { Pool } from 'pg';

/** The default is the transaction that inserts. The index serves `readOrders`. */
export const CURSOR_SCHEMA = `
ALTER TABLE orders ADD COLUMN written_in xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX ON orders (written_in, id)`;

/** After a dump was restored into a server with lower transaction ids, which would hide its rows. */
export const AFTER_A_DUMP =
  'UPDATE orders SET written_in = pg_current_xact_id() WHERE written_in > pg_current_xact_id()';

/** How far a reader has read; strings, since both have 64 bits. */
export interface ReadingCursor {
  readonly writtenIn: string;
  readonly id: string;
}

export const FROM_THE_BEGINNING: ReadingCursor = { writtenIn: '0', id: '0' };

/** The next orders behind a cursor, at most `limit`; empty if there are none yet. */
export async function readOrders(
  pool: Pool,
  { writtenIn, id }: ReadingCursor,
  limit = 1_000,
): Promise<(ReadingCursor & { readonly item: string })[]> {
  // Every transaction before the oldest one that still runs has ended: nothing more comes from there.
  const { rows } = await pool.query(
    `SELECT written_in::text AS "writtenIn", id::text, item FROM orders
     WHERE (written_in, id) > ($1::xid8, $2::bigint)
       AND written_in < pg_snapshot_xmin(pg_current_snapshot())
     ORDER BY written_in, orders.id LIMIT $3`,
    [writtenIn, id, limit],
  );
  return rows;
}

/** For MySQL and MariaDB, which have no such number: a mark in each row, by one reader. */
export const UNREAD = {
  schema: 'ALTER TABLE orders ADD COLUMN unread boolean DEFAULT true, ADD INDEX (unread, id)',
  read: 'SELECT id, item FROM orders WHERE unread ORDER BY id LIMIT 1000',
  /** Once they are handled. */
  mark: (ids: readonly number[]) => `UPDATE orders SET unread = NULL WHERE id IN (${ids.join(', ')})`,
};
