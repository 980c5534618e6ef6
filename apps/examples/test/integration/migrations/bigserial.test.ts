import type { IdGenerator } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg, setFloor } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { expect, inject, it } from 'vitest';
import { continueAbove } from '../../../src/migrations/bigserial.js';
import { insertOrders } from '../../../src/recipes/pg.js';
import { runStep } from '../../support/migration-guide.js';
import { ownSchema } from '../../support/own-schema.js';

/** The bounds in the guide. */
const [OLD_END, NEW_END] = [1_000_000, 2_000_000];
/** The bound after both ranges were moved. */
const MOVED_END = 3_000_000;
const ROWS = 3_000;

it('old and new processes insert side by side, each stops at its bound instead of taking an id of the other, and back', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await pool.query('DROP TABLE orders');
  await pool.query('CREATE TABLE orders (id bigserial PRIMARY KEY, item text NOT NULL)');
  await pool.query('CREATE TABLE order_lines (order_id bigint NOT NULL REFERENCES orders (id))');
  await insertAsBefore(pool, ROWS);
  await pool.query('INSERT INTO order_lines SELECT id FROM orders');

  await runStep(pool, 'Bound the old sequence');
  const executor = fromPg(pool);
  await continueAbove(executor, OLD_END);
  // It may run twice.
  await continueAbove(executor, OLD_END);
  const options = { name: 'order', database: pool };
  await using local = await createSegmentInprocGenerator(options);
  const redis = { redis: inject('redisUrl'), keyPrefix: `${uniqueName('bigserial')}:` };
  await using shared = await createSegmentRedisDbGenerator({ ...options, ...redis });
  const items = Array.from({ length: 500 }, (_, nr) => `new ${nr}`);
  const [, ...issued] = await Promise.all([
    insertAsBefore(pool, 500),
    insertOrders(pool, local, items),
    insertOrders(pool, shared, items),
  ]);
  expect(new Set(issued.flat()).size).toBe(1_000);
  expect((await runStep(pool, 'Count both ranges')).rows).toEqual([
    { old_rows: String(ROWS + 500), new_rows: '1000', old_end: String(ROWS + 500) },
  ]);
  await pool.query('INSERT INTO order_lines SELECT id FROM orders WHERE id > $1', [OLD_END]);

  // An old process that went on for too long.
  await pool.query("SELECT setval('orders_id_seq', $1)", [OLD_END]);
  await expect(insertAsBefore(pool, 1)).rejects.toThrow('reached maximum value of sequence');
  await runStep(pool, 'Drop the default');
  await expect(insertAsBefore(pool, 1)).rejects.toThrow('null value in column "id"');

  await runStep(pool, 'Bound the new sequence');
  // New processes that still run, beside old ones.
  await insertOrders(pool, local, items);
  await insertAsBefore(pool, 500);
  const { rows } = await pool.query('SELECT max(id)::int AS max, count(*)::int AS count FROM orders');
  expect(rows).toEqual([{ max: NEW_END + 500, count: ROWS + 2_500 }]);
  // A new process that went on for too long.
  await setFloor(executor, 'order', NEW_END - 1);
  await using late = await createSegmentInprocGenerator({ ...options, deadlineMs: 60_000 });
  await expect(late.nextBatch(10)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
});

it('both ranges move up once nobody holds ids of the new one, and no id repeats', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await pool.query('DROP TABLE orders');
  await pool.query('CREATE TABLE orders (id bigserial PRIMARY KEY, item text NOT NULL)');
  await runStep(pool, 'Bound the old sequence');
  const executor = fromPg(pool);
  await continueAbove(executor, OLD_END);
  const options = { name: 'order', database: pool };
  const keyPrefix = `${uniqueName('bigserial')}:`;
  const shared = { ...options, redis: inject('redisUrl'), keyPrefix };
  const items = Array.from({ length: 500 }, (_, nr) => `new ${nr}`);
  await insertThenStop(
    pool,
    [createSegmentInprocGenerator(options), createSegmentRedisDbGenerator(shared)],
    items,
  );
  await pool.query("SELECT setval('orders_id_seq', $1)", [OLD_END]);
  await expect(insertAsBefore(pool, 1)).rejects.toThrow('reached maximum value of sequence');

  const redis = new Redis(inject('redisUrl'));
  const hashes = await redis.keys(`${keyPrefix}*`);
  expect(await redis.del(hashes)).toBeGreaterThan(0);
  await redis.quit();
  const { rows } = await pool.query(
    "SELECT max_id::int AS noted FROM id_segment WHERE server_name = 'order'",
  );
  expect(rows[0].noted).toBeLessThanOrEqual(NEW_END);
  await continueAbove(executor, MOVED_END);
  await runStep(pool, 'Move both ranges');
  await insertAsBefore(pool, 500);
  await insertThenStop(
    pool,
    [createSegmentInprocGenerator(options), createSegmentRedisDbGenerator(shared)],
    items,
  );
  const between = await pool.query(
    `SELECT count(*) FILTER (WHERE id <= $1)::int AS noted,
       count(*) FILTER (WHERE id > $2 AND id <= $3)::int AS old, count(*) FILTER (WHERE id > $3)::int AS new FROM orders`,
    [rows[0].noted, NEW_END, MOVED_END],
  );
  expect(between.rows).toEqual([{ noted: 1_000, old: 500, new: 1_000 }]);
  await pool.query("SELECT setval('orders_id_seq', $1)", [MOVED_END]);
  await expect(insertAsBefore(pool, 1)).rejects.toThrow('reached maximum value of sequence');
});

it('a sequence that is already further than the bound is refused, and keeps its bound', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await pool.query('DROP TABLE orders');
  await pool.query('CREATE TABLE orders (id bigserial PRIMARY KEY, item text NOT NULL)');
  await pool.query("SELECT setval('orders_id_seq', $1)", [OLD_END + 1]);
  await expect(runStep(pool, 'Bound the old sequence')).rejects.toThrow('cannot be greater than MAXVALUE');
  await insertAsBefore(pool, 1);
});

it('steps give up beside an open transaction, and the way back is refused a second time', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await pool.query('DROP TABLE orders');
  await pool.query('CREATE TABLE orders (id bigserial PRIMARY KEY, item text NOT NULL)');
  const other = await pool.connect();
  await other.query("BEGIN; INSERT INTO orders (item) VALUES ('open')");
  for (const step of ['Bound the old sequence', 'Drop the default', 'Bound the new sequence'])
    await expect(runStep(pool, step)).rejects.toMatchObject({ code: '55P03' });
  await other.query('COMMIT');
  other.release();
  await runStep(pool, 'Bound the new sequence');
  await insertAsBefore(pool, 2);
  await expect(runStep(pool, 'Bound the new sequence')).rejects.toMatchObject({ code: '42710' });
  await insertAsBefore(pool, 1);
});

/** What the old version does: the column's default issues the ids. */
async function insertAsBefore(pool: Pool, count: number): Promise<void> {
  await pool.query("INSERT INTO orders (item) SELECT 'old ' || nr FROM generate_series(1, $1::int) AS nr", [
    count,
  ]);
}

/** What the new version does in several processes, until they are stopped. */
async function insertThenStop(
  pool: Pool,
  opening: readonly Promise<IdGenerator<number>>[],
  items: readonly string[],
): Promise<void> {
  const generators = await Promise.all(opening);
  await Promise.all(generators.map((ids) => insertOrders(pool, ids, items)));
  await Promise.all(generators.map((ids) => ids[Symbol.asyncDispose]()));
}
