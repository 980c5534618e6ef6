import type { IdGenerator } from '@ids/core';
import type { ColumnType, Kysely } from 'kysely';

/** The driver reads a bigint as a string. */
type BigintColumn = ColumnType<string, number, never>;

export interface Database {
  orders: { id: BigintColumn; customer: string };
  order_lines: { order_id: BigintColumn; line: number; item: string };
}

/**
 * Inserts an order with its lines, and resolves with its id. The id is asked for before the
 * transaction begins: within it, the transaction's connection would be held while ids wait for a
 * connection of what may be the same pool.
 */
export async function placeOrder(
  db: Kysely<Database>,
  ids: IdGenerator<number>,
  customer: string,
  items: readonly string[],
): Promise<number> {
  const id = await ids.next();
  const lines = items.map((item, line) => ({ order_id: id, line, item }));
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('orders').values({ id, customer }).execute();
    await transaction.insertInto('order_lines').values(lines).execute();
  });
  return id;
}
