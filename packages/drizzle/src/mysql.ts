import type { Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import type { $Type, HasDefault, HasRuntimeDefault } from 'drizzle-orm/column-builder';
import {
  bigint,
  char,
  customType,
  type MySqlBigInt53BuilderInitial,
  type MySqlColumnBuilder,
  varchar,
} from 'drizzle-orm/mysql-core';
import { defaultOf, exactBigint, formOf } from './generator.js';

/** A column of `bigint`, `char(36)` or `varchar`, whose values have the type of the ids. */
export type MySqlIdColumn<T extends Id> = $Type<
  [T] extends [number]
    ? MySqlBigInt53BuilderInitial<''>
    : MySqlColumnBuilder<{
        name: '';
        dataType: [T] extends [bigint] ? 'custom' : 'string' | 'custom';
        columnType: [T] extends [bigint]
          ? 'MySqlCustomColumn'
          : 'MySqlChar' | 'MySqlVarChar' | 'MySqlCustomColumn';
        data: T;
        driverParam: [T] extends [bigint] ? bigint | number | string : string;
        enumValues: undefined;
      }>,
  T
>;

/**
 * A column that gets an id where an insert names none: `id: idColumn(ids).primaryKey()`. Its type is that of
 * the ids: `bigint`, `char(36)` for UUIDs, or `varchar` of the length of the longest id, compared by case if
 * two ids can differ only in that. `name` is that of the column, as in Drizzle by default that of the member.
 *
 * Throws `ERR_IDS_CONFIG` for a generator without `nextSync`. An insert throws like `nextSync`, so await
 * `ids.ready()` first. Reading a bigint that the driver rounded throws. Whoever opened the generator closes
 * it.
 */
export function idColumn<T extends Id>(
  ids: SyncIdGenerator<T>,
  name?: string,
): HasRuntimeDefault<HasDefault<MySqlIdColumn<T>>> {
  return builderOf(ids, name).$defaultFn(defaultOf(ids) as () => never) as never;
}

/**
 * The same column without a default: for rows of `withIds`, and for references to another table, such as
 * `orderId: plainIdColumn(ids).references(() => orders.id)`. Any generator will do.
 */
export function plainIdColumn<T extends Id>(ids: IdGenerator<T>, name?: string): MySqlIdColumn<T> {
  return builderOf(ids, name) as never;
}

const exactBigints = customType<{ data: bigint; driverData: bigint | number | string }>({
  dataType: () => 'bigint',
  fromDriver: exactBigint('open mysql2 with "supportBigNumbers": true'),
});

function builderOf(ids: IdGenerator, name = '') {
  const form = formOf(ids);
  if (form === 'number') return bigint(name, { mode: form });
  if (form === 'bigint') return exactBigints(name);
  const { maxLength: length, caseSensitive } = ids.guarantees.text;
  if (form === 'uuid') return char(name, { length });
  // The collations that servers have by default take "a" and "A" for the same id.
  const exactStrings = () => `varchar(${length}) collate utf8mb4_bin`;
  return caseSensitive
    ? customType<{ data: string; driverData: string }>({ dataType: exactStrings })(name)
    : varchar(name, { length });
}
