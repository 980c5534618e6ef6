import { DEFAULT_TABLE, groupAt, groupIn, type OpenGroup } from '@ids/segment';
import type { CallOptions, ReignChange, Row } from '@ids/store';
import { type SqliteExecutor, type SqliteTableSql, sqliteTable, sqliteTableSql } from '@ids/store/sqlite';
import { noSuchFamily } from '../keyed-source.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import { familyStatement, type Tables } from './statements.js';

/** The two tables of families, and what runs statements on them. */
export interface KeyedSql {
  readonly tables: Tables;
  readonly sql: SqliteTableSql;
}

export function keyedSql(executor: SqliteExecutor, table: string = DEFAULT_TABLE): KeyedSql {
  const keys = keyTableOf(table);
  return {
    tables: { segments: sqliteTable(table), keys: sqliteTable(keys) },
    sql: sqliteTableSql(executor, keys, KEY_TABLE),
  };
}

/** The row of a family that exists. */
export async function readFamily(
  { tables, sql }: KeyedSql,
  family: string,
  options?: CallOptions,
): Promise<Row> {
  const { text, values } = familyStatement(tables, family);
  const [row] = await sql.rows(text, values, options);
  if (row === undefined) throw noSuchFamily(family, `table ${tables.segments.name}`);
  return row;
}

/** The group that is now by the clock in the row of a family; undefined if it has none. */
export function groupNowIn(row: Row): OpenGroup | undefined {
  const group = groupIn(row);
  return group && groupAt(group, Number(row.now_ms));
}

/**
 * What the next reservation would detect in the row of a key, in the database `home`. Unlike the row of a
 * sequence, one that names no database was not made by a reservation.
 */
export function keyChangeIn({ reign_server: stored }: Row, home: string): ReignChange | undefined {
  return stored === home ? undefined : 'restore';
}

/** `groupNow` on SQLite. */
export async function sqliteGroupNow(
  executor: SqliteExecutor,
  family: string,
  table: string,
): Promise<OpenGroup | undefined> {
  return groupNowIn(await readFamily(keyedSql(executor, table), family));
}
