import type { SyncIdGenerator } from '@ids/core';
import { idColumn } from '@ids/drizzle/pg';
import { pgTable, text } from 'drizzle-orm/pg-core';

/** A table whose rows get an id where an insert names none. */
export function ordersTable(ids: SyncIdGenerator<number>, name = 'orders') {
  return pgTable(name, {
    id: idColumn(ids).primaryKey(),
    item: text().notNull(),
  });
}
