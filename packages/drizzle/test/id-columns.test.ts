import { createMysqlDatabase, openPostgresPool, uniqueName } from '@ids/local-services';
import { SQLITE_DRIVERS } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import type {} from '@ids/local-services/vitest-setup';
import { createUuid7Generator } from '@ids/uuid7';
import { type Column, relations } from 'drizzle-orm';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import { getTableConfig as mysqlConfig, mysqlTable } from 'drizzle-orm/mysql-core';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { getTableConfig as pgConfig, pgTable } from 'drizzle-orm/pg-core';
import { getTableConfig as sqliteConfig, sqliteTable } from 'drizzle-orm/sqlite-core';
import mysql from 'mysql2/promise';
import { expect, expectTypeOf, inject, it, onTestFinished } from 'vitest';
import { withIds } from '../src/index.js';
import * as ofMysql from '../src/mysql.js';
import * as ofPg from '../src/pg.js';
import * as ofSqlite from '../src/sqlite.js';
import { issuing, waiting } from './issuing.js';

const [first, second] = [2n ** 63n - 2n, 2n ** 63n - 1n];
const open = () => ({
  numbers: issuing([1, Number.MAX_SAFE_INTEGER]),
  bigints: issuing([first, second]),
  uuids: issuing<string>(
    createUuid7Generator().nextBatchSync(2) as [string, string],
    createUuid7Generator().guarantees.text,
  ),
  // Most collations take these two for the same.
  texts: issuing<string>(['ord_a', 'ord_A'], { caseSensitive: true, maxLength: 5 }),
});
type Rows = readonly { number: number; big: bigint; uuid: string; code: string; parent: bigint | null }[];

const ddlOf = ({ name, columns }: { readonly name: string; readonly columns: readonly Column[] }) =>
  `CREATE TABLE ${name} (${columns
    .map((column) => `${column.name} ${column.getSQLType()} ${column.isUnique ? 'UNIQUE' : ''}`)
    .join(', ')})`;
const typesOf = (columns: readonly Column[]) => columns.map((column) => column.getSQLType());

function expectBoth(rows: Rows) {
  expect(rows.map(({ number, big, code, parent }) => ({ number, big, code, parent }))).toEqual([
    { number: 1, big: first, code: 'ord_a', parent: null },
    { number: Number.MAX_SAFE_INTEGER, big: second, code: 'ord_A', parent: first },
  ]);
}

it('columns of Postgres hold each kind of ids, typed by the generator, and notice bigints that JSON rounded', async () => {
  const pool = openPostgresPool(inject('databaseUrl'), { max: 1 });
  onTestFinished(() => pool.end());
  const { numbers, bigints, uuids, texts } = open();
  const table = pgTable(uniqueName('orders'), {
    number: ofPg.idColumn(numbers).primaryKey(),
    big: ofPg.idColumn(bigints).notNull().unique(),
    uuid: ofPg.idColumn(uuids).notNull().unique(),
    code: ofPg.idColumn(texts, 'order_code').notNull().unique(),
    parent: ofPg.plainIdColumn(waiting(bigints)),
  });
  expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<Rows[number]>();
  expectTypeOf({ parent: first }).toExtend<typeof table.$inferInsert>();
  expect(typesOf(pgConfig(table).columns)).toEqual(['bigint', 'bigint', 'uuid', 'text', 'bigint']);
  await pool.query(ddlOf(pgConfig(table)));
  const nested = relations(table, ({ one }) => ({
    above: one(table, { fields: [table.parent], references: [table.big] }),
  }));
  const db = drizzlePg({ client: pool, schema: { table, nested } });
  await db.insert(table).values([{}, { parent: first }]);
  expectBoth(await db.select().from(table).orderBy(table.number));
  const nesting = db.query.table.findMany({ with: { above: true } });
  await expect(nesting).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
});

it('columns of MariaDB hold each kind of ids, distinguish case, and notice bigints that the driver rounded', async () => {
  const uri = await createMysqlDatabase(inject('mysqlUrl'));
  const openDb = (supportBigNumbers: boolean) => {
    const pool = mysql.createPool({ uri, supportBigNumbers });
    onTestFinished(() => pool.end());
    return drizzleMysql({ client: pool });
  };
  const [db, rounding] = [openDb(true), openDb(false)];
  const { numbers, bigints, uuids, texts } = open();
  const table = mysqlTable('orders', {
    number: ofMysql.idColumn(numbers).primaryKey(),
    big: ofMysql.idColumn(bigints).notNull().unique(),
    uuid: ofMysql.idColumn(uuids).notNull().unique(),
    code: ofMysql.idColumn(texts, 'order_code').notNull().unique(),
    parent: ofMysql.plainIdColumn(waiting(bigints)),
  });
  expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<Rows[number]>();
  expectTypeOf({ parent: first }).toExtend<typeof table.$inferInsert>();
  expect(typesOf(mysqlConfig(table).columns)).toEqual([
    'bigint',
    'bigint',
    'char(36)',
    'varchar(5) collate utf8mb4_bin',
    'bigint',
  ]);
  await db.execute(ddlOf(mysqlConfig(table)));
  await db.insert(table).values([{}, { parent: first }]);
  expectBoth(await db.select().from(table).orderBy(table.number));
  await expect(rounding.select().from(table)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
});

it('columns of SQLite hold each kind of ids, and notice bigints that the driver rounded', async () => {
  const [driver] = SQLITE_DRIVERS as [(typeof SQLITE_DRIVERS)[number]];
  const handle = driver.open(':memory:') as ReturnType<typeof driver.open> & {
    defaultSafeIntegers(on: boolean): void;
  };
  onTestFinished(() => void handle.close());
  const { numbers, bigints, uuids, texts } = open();
  const table = sqliteTable('orders', {
    number: ofSqlite.idColumn(numbers).primaryKey(),
    big: ofSqlite.idColumn(bigints).notNull().unique(),
    uuid: ofSqlite.idColumn(uuids).notNull().unique(),
    code: ofSqlite.idColumn(texts, 'order_code').notNull().unique(),
    parent: ofSqlite.plainIdColumn(waiting(bigints)),
  });
  expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<Rows[number]>();
  expectTypeOf({ parent: first }).toExtend<typeof table.$inferInsert>();
  expect(typesOf(sqliteConfig(table).columns)).toEqual(['integer', 'integer', 'text', 'text', 'integer']);
  handle.exec(ddlOf(sqliteConfig(table)));
  const db = drizzleSqlite({ client: handle as never });
  await db.insert(table).values([{}, { parent: first }]);
  await expect(async () => db.select().from(table)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  handle.defaultSafeIntegers(true);
  const rows = await db.select().from(table).orderBy(table.number);
  // With that setting, Drizzle returns every integer as a bigint.
  expectBoth(rows.map((row) => ({ ...row, number: Number(row.number) })));
});

it('withIds fills rows without an id in one batch, and leaves those of the caller as they are', async () => {
  const ids = issuing(['a', 'b', 'c']);
  const given = [{ item: 'one' }, { item: 'own', id: 'z' }, { item: 'two', id: undefined }];
  const rows = await withIds(waiting(ids), given);
  expectTypeOf(rows[0]?.id).toExtend<string | undefined>();
  expect(rows).toEqual([
    { id: 'a', item: 'one' },
    { id: 'z', item: 'own' },
    { id: 'b', item: 'two' },
  ]);
  expect(given[0]).toEqual({ item: 'one' });
  expect(await withIds(ids, [{ item: 'three' }], 'key')).toEqual([{ key: 'c', item: 'three' }]);
  expect(await withIds(ids, [])).toEqual([]);
});
