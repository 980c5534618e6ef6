import type { SyncIdGenerator } from '@ids/core';
import { idColumn } from '@ids/drizzle/pg';
import { lowerBound, upperBound } from '@ids/uuid7';
import { between } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';

/** A table whose rows get a UUID of version 7 where an insert names none. */
export function eventsTable(ids: SyncIdGenerator<string>, name = 'events') {
  return pgTable(name, {
    id: idColumn(ids).primaryKey(),
    item: text().notNull(),
  });
}

/** For `where`: the rows whose ids were issued from `from` to `to`, both included. */
export function issuedBetween({ id }: ReturnType<typeof eventsTable>, from: Date, to: Date) {
  return between(id, lowerBound(from), upperBound(to));
}
