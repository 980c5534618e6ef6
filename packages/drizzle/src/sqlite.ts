import type { Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import type { $Type, HasDefault, HasRuntimeDefault } from 'drizzle-orm/column-builder';
import {
  customType,
  integer,
  type SQLiteColumnBuilder,
  type SQLiteIntegerBuilderInitial,
  text,
} from 'drizzle-orm/sqlite-core';
import { defaultOf, exactBigint, formOf } from './generator.js';

/** A column of `integer` or `text`, whose values have the type of the ids. */
export type SqliteIdColumn<T extends Id> = $Type<
  [T] extends [number]
    ? SQLiteIntegerBuilderInitial<''>
    : SQLiteColumnBuilder<{
        name: '';
        dataType: [T] extends [bigint] ? 'custom' : 'string';
        columnType: [T] extends [bigint] ? 'SQLiteCustomColumn' : 'SQLiteText';
        data: T;
        driverParam: [T] extends [bigint] ? bigint | number : string;
        enumValues: undefined;
      }>,
  T
>;

/**
 * A column that gets an id where an insert names none: `id: idColumn(ids).primaryKey()`. Its type is that of
 * the ids: `integer` or `text`. `name` is that of the column, as in Drizzle by default that of the member.
 *
 * Throws `ERR_IDS_CONFIG` for a generator without `nextSync`. An insert throws like `nextSync`, so await
 * `ids.ready()` first. Reading a bigint that the driver rounded throws. Whoever opened the generator closes
 * it.
 */
export function idColumn<T extends Id>(
  ids: SyncIdGenerator<T>,
  name?: string,
): HasRuntimeDefault<HasDefault<SqliteIdColumn<T>>> {
  return builderOf(ids, name).$defaultFn(defaultOf(ids) as () => never) as never;
}

/**
 * The same column without a default: for rows of `withIds`, and for references to another table, such as
 * `orderId: plainIdColumn(ids).references(() => orders.id)`. Any generator will do.
 */
export function plainIdColumn<T extends Id>(ids: IdGenerator<T>, name?: string): SqliteIdColumn<T> {
  return builderOf(ids, name) as never;
}

const exactBigints = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  fromDriver: exactBigint('have better-sqlite3 read bigints by "defaultSafeIntegers()", libsql by "intMode"'),
});

function builderOf(ids: IdGenerator, name = '') {
  const form = formOf(ids);
  if (form === 'number') return integer(name, { mode: form });
  return form === 'bigint' ? exactBigints(name) : text(name);
}
