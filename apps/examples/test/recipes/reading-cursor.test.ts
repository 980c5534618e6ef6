import { SQL_DIALECTS, type SqlSession } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-mariadb';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  AFTER_A_DUMP,
  CURSOR_SCHEMA,
  FROM_THE_BEGINNING,
  type ReadingCursor,
  readOrders,
  UNREAD,
} from '../../src/recipes/reading-cursor.js';
import { ownSchema } from '../support/own-schema.js';

const insert = (id: number) => `INSERT INTO orders (id, item) VALUES (${id}, 'item')`;

/** Reads behind the greatest id, as one must not. */
function naiveReader(session: SqlSession) {
  const seen: number[] = [];
  return async () => {
    const rows = await session.query(`SELECT id FROM orders WHERE id > ${seen.at(-1) ?? 0} ORDER BY id`);
    seen.push(...rows.map(({ id }) => Number(id)));
    return seen;
  };
}

/** Inserts in a transaction that stays open until `commit`; at once without the fault. */
async function insertLate(session: SqlSession, id: number) {
  let held = await injectFault(() => session.hold(insert(id)));
  if (held === undefined) await session.query(insert(id));
  const commit = async () => {
    const release = held;
    held = undefined;
    await release?.();
  };
  return { commit, [Symbol.asyncDispose]: commit };
}

function connect(name: 'postgres' | 'mysql', url: string): SqlSession {
  const session = SQL_DIALECTS.find(({ dialect }) => dialect === name)?.connect(url, 4);
  if (session === undefined) throw new Error(`no dialect ${name}`);
  return session;
}

describe('a reader of new rows', () => {
  faultTest('misses a row that commits late by its id, and none by transaction and id', async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    await using session = connect('postgres', schema.url);
    await schema.pool.query(CURSOR_SCHEMA);
    await using ids = await createSegmentInprocGenerator({
      name: 'order',
      database: schema.pool,
      order: 'real-time',
    });
    const naive = naiveReader(session);
    const seen: number[] = [];
    let cursor: ReadingCursor = FROM_THE_BEGINNING;
    const read = async () => {
      const orders = await readOrders(schema.pool, cursor, 1);
      cursor = orders.at(-1) ?? cursor;
      seen.push(...orders.map(({ id }) => Number(id)));
      return orders.length;
    };
    const [late, later] = [await ids.next(), await ids.next()];
    await using transaction = await insertLate(session, late);
    await session.query(insert(later));
    expect(await naive()).toEqual([later]);
    expect(await read()).toBe(0);
    await transaction.commit();
    // Transactions of neighbours delay it.
    while (seen.length < 2) await read();
    expect(seen).toEqual([late, later]);
    expect(await read()).toBe(0);
    expect(await naive()).toEqual([later]);
  });

  it('reads the rows of a dump of a server with greater transaction ids', async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    await schema.pool.query(CURSOR_SCHEMA);
    await schema.pool.query(`INSERT INTO orders VALUES (1, 'item', '18446744073709551615')`);
    expect(await readOrders(schema.pool, FROM_THE_BEGINNING)).toEqual([]);
    await schema.pool.query(AFTER_A_DUMP);
    let orders: readonly { readonly id: string }[] = [];
    while (orders.length === 0) orders = await readOrders(schema.pool, FROM_THE_BEGINNING);
    expect(orders).toMatchObject([{ id: '1', item: 'item' }]);
  });

  faultTest('misses a row on MariaDB as well, and none by marks', async () => {
    const mysql = SQL_DIALECTS.find(({ dialect }) => dialect === 'mysql');
    const session = connect('mysql', (await mysql?.shared()) ?? '');
    onTestFinished(() => session.end());
    await session.query('CREATE TABLE orders (id bigint PRIMARY KEY, item text NOT NULL)');
    await session.query(UNREAD.schema);
    const naive = naiveReader(session);
    const read = async () => {
      const found = (await session.query(UNREAD.read)).map(({ id }) => Number(id));
      if (found.length > 0) await session.query(UNREAD.mark(found));
      return found;
    };
    await using transaction = await insertLate(session, 1);
    await session.query(insert(2));
    expect(await naive()).toEqual([2]);
    expect(await read()).toEqual([2]);
    await transaction.commit();
    expect(await naive()).toEqual([2]);
    expect(await read()).toEqual([1]);
    expect(await read()).toEqual([]);
  });
});
