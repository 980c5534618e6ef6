import type { SyncIdGenerator } from '@ids/core';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * A table whose rows get an id where an insert names none. Drizzle calls `$defaultFn` synchronously: hence
 * `nextSync`, which throws `ERR_IDS_NOT_READY` until `ids.ready()` has resolved, and when more rows come at
 * once than ids are in memory.
 */
export function ordersTable(ids: SyncIdGenerator<number>, name = 'orders') {
  return pgTable(name, {
    id: bigint({ mode: 'number' })
      .primaryKey()
      .$defaultFn(() => ids.nextSync()),
    item: text().notNull(),
  });
}
