import type { Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import type { $Type, HasDefault, HasRuntimeDefault } from 'drizzle-orm/column-builder';
import {
  bigint,
  customType,
  type PgBigInt53BuilderInitial,
  type PgColumnBuilder,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { defaultOf, exactBigint, formOf } from './generator.js';

/** A column of `bigint`, `uuid` or `text`, whose values have the type of the ids. */
export type PgIdColumn<T extends Id> = $Type<
  [T] extends [number]
    ? PgBigInt53BuilderInitial<''>
    : PgColumnBuilder<{
        name: '';
        dataType: [T] extends [bigint] ? 'custom' : 'string';
        columnType: [T] extends [bigint] ? 'PgCustomColumn' : 'PgUUID' | 'PgText';
        data: T;
        driverParam: [T] extends [bigint] ? bigint | number | string : string;
        enumValues: undefined;
      }>,
  T
>;

/**
 * A column that gets an id where an insert names none: `id: idColumn(ids).primaryKey()`. Its type is that of
 * the ids: `bigint`, read as a number or a bigint, `uuid`, or `text`. `name` is that of the column, as in
 * Drizzle by default that of the member.
 *
 * Throws `ERR_IDS_CONFIG` for a generator without `nextSync`. An insert throws like `nextSync`, so await
 * `ids.ready()` first. Reading a bigint that JSON rounded throws. Whoever opened the generator closes it.
 */
export function idColumn<T extends Id>(
  ids: SyncIdGenerator<T>,
  name?: string,
): HasRuntimeDefault<HasDefault<PgIdColumn<T>>> {
  return builderOf(ids, name).$defaultFn(defaultOf(ids) as () => never) as never;
}

/**
 * The same column without a default: for rows of `withIds`, and for references to another table, such as
 * `orderId: plainIdColumn(ids).references(() => orders.id)`. Any generator will do.
 */
export function plainIdColumn<T extends Id>(ids: IdGenerator<T>, name?: string): PgIdColumn<T> {
  return builderOf(ids, name) as never;
}

const exactBigints = customType<{ data: bigint; driverData: bigint | number | string }>({
  dataType: () => 'bigint',
  fromDriver: exactBigint(),
});

function builderOf(ids: IdGenerator, name = '') {
  const form = formOf(ids);
  if (form === 'bigint') return exactBigints(name);
  if (form === 'uuid') return uuid(name);
  return form === 'string' ? text(name) : bigint(name, { mode: form });
}
