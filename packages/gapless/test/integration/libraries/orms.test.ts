import 'reflect-metadata';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import callbacks from 'mysql2';
import mysql from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { expect, it, onTestFinished } from 'vitest';
import { nextWithin } from '../../../src/index.js';
import { MARIADB, openNumberDatabase, POSTGRES } from '../number-database.js';
import { worksWith } from './library.js';

worksWith('Drizzle with pg', POSTGRES, async (url) => {
  const pool = new pg.Pool({ connectionString: url });
  const db = drizzlePg(pool);
  return { transaction: (work) => db.transaction(work), roots: [db], together: true, end: () => pool.end() };
});

worksWith('Drizzle with postgres', POSTGRES, async (url) => {
  const sql = postgres(url, { onnotice: () => {} });
  const db = drizzlePostgresJs(sql);
  return { transaction: (work) => db.transaction(work), roots: [db], together: true, end: () => sql.end() };
});

worksWith('Drizzle with mysql2', MARIADB, async (url) => {
  const pool = mysql.createPool(url);
  const db = drizzleMysql(pool);
  return { transaction: (work) => db.transaction(work), roots: [db], end: () => pool.end() };
});

worksWith('Kysely on Postgres', POSTGRES, async (url) => {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
  return {
    transaction: (work) => db.transaction().execute(work),
    roots: [db],
    end: () => db.destroy(),
  };
});

worksWith('Kysely on MariaDB', MARIADB, async (url) => {
  const db = new Kysely({ dialect: new MysqlDialect({ pool: callbacks.createPool(url) }) });
  return {
    transaction: (work) => db.transaction().execute(work),
    roots: [db],
    end: () => db.destroy(),
  };
});

for (const [name, kind] of [
  ['Postgres', POSTGRES],
  ['MariaDB', MARIADB],
] as const) {
  worksWith(`TypeORM on ${name}`, kind, async (url) => {
    const type = kind.dialect === 'mysql' ? 'mysql' : 'postgres';
    const source = await new DataSource({ type, url }).initialize();
    return {
      transaction: (work) => source.transaction(work),
      roots: [source, source.manager],
      ...(type === 'postgres' && { together: true }),
      end: () => source.destroy(),
    };
  });

  worksWith(`Knex on ${name}`, kind, async (url) => {
    const db = knex({ client: kind.dialect === 'mysql' ? 'mysql2' : 'pg', connection: url });
    return {
      transaction: (work) => db.transaction(work),
      roots: [db],
      ...(kind.dialect === 'postgres' && { together: true }),
      end: () => db.destroy(),
    };
  });
}

it('a query runner of TypeORM works as well', async () => {
  const { url, table } = await openNumberDatabase(POSTGRES);
  const source = await new DataSource({ type: 'postgres', url }).initialize();
  onTestFinished(() => source.destroy());
  const runner = source.createQueryRunner();
  const next = () => nextWithin(runner, 'invoice', '', { table });
  await expect(next()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  await runner.startTransaction();
  expect(await next()).toBe(1);
  await runner.rollbackTransaction();
  await runner.startTransaction();
  expect(await next()).toBe(1);
  await runner.commitTransaction();
  await runner.release();
});

it('nested transactions of Drizzle, which are savepoints, give a number back', async () => {
  const { url, table } = await openNumberDatabase(POSTGRES);
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const taken = await drizzlePg(pool).transaction(async (tx) => {
    const numbers = [await nextWithin(tx, 'invoice', 'acme', { table })];
    const gaveUp = new Error('gave up');
    const nested = tx.transaction(async (inner) => {
      numbers.push(await nextWithin(inner, 'invoice', 'acme', { table }));
      throw gaveUp;
    });
    await expect(nested).rejects.toBe(gaveUp);
    numbers.push(await nextWithin(tx, 'invoice', 'acme', { table }));
    return numbers;
  });
  expect(taken).toEqual([1, 2, 2]);
});

it('anything else is refused with a list of what is accepted', async () => {
  for (const [tx, got] of [
    [undefined, 'undefined'],
    ['tx', '"tx"'],
    [{}, 'Object'],
    [{ query: 1 }, 'Object'],
  ] as const) {
    await expect(nextWithin(tx, 'invoice')).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(new RegExp(`prisma.*; got ${got}$`)),
    });
  }
});
