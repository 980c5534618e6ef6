import type { Id, IdGenerator } from '@ids/core';
import { encodeIds } from '@ids/encode';
import type {} from '@ids/local-services/vitest-setup';
import { createObjectIdGenerator } from '@ids/objectid';
import { connectBson, ObjectId as OurObjectId } from '@ids/objectid/bson';
import { createUuid7Generator } from '@ids/uuid7';
import { createId } from '@paralleldrive/cuid2';
import { deserialize, ObjectId, serialize } from 'bson';
import { nanoid } from 'nanoid';
import type { Pool } from 'pg';
import { expect, inject, it } from 'vitest';
import { runStep } from '../../support/migration-guide.js';
import { type OwnSchema, ownSchema } from '../../support/own-schema.js';

const ROWS = 3_000;
const half = (make: () => string) => Array.from({ length: ROWS / 2 }, make);

it('uuid v4 to uuid7 and back: one column, each version counted, lines intact', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await pool.query('DROP TABLE orders');
  await pool.query('CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), item text NOT NULL)');
  await pool.query('CREATE TABLE order_lines (order_id uuid NOT NULL REFERENCES orders (id))');
  const insertAsBefore = () =>
    pool.query("INSERT INTO orders (item) SELECT 'old' FROM generate_series(1, 1500)");
  await insertAsBefore();
  await using ids = createUuid7Generator();
  await Promise.all([insertAsBefore(), insertAll(pool, 'uuid', await ids.nextBatch(ROWS))]);
  await pool.query('INSERT INTO order_lines SELECT id FROM orders');
  const counts = [
    { version: '4', count: String(ROWS) },
    { version: '7', count: String(ROWS) },
  ];
  expect((await runStep(pool, 'Count versions')).rows).toEqual(counts);

  await runStep(pool, 'Drop the default');
  await expect(insertAsBefore()).rejects.toThrow('null value in column "id"');
  await runStep(pool, 'Restore the default');
  await insertAsBefore();
  expect((await runStep(pool, 'Count versions')).rows).toMatchObject([{ count: '4500' }, { count: '3000' }]);
});

it('cuid and nanoid to TypeIDs: one text column, none alike, new ones in order among themselves', async () => {
  await using schema = await textKeys();
  const old = [...half(createId), ...half(nanoid)];
  await insertAll(schema.pool, 'text', old);
  await using ids = encodeIds(createUuid7Generator(), { form: 'typeid', prefix: 'order' });
  const given = await issuedInto(schema.pool, ids);
  expect(Math.max(...old.map((key) => key.length))).toBeLessThan(Math.min(...given.map((key) => key.length)));
  const { rows } = await schema.pool.query(
    `SELECT id FROM orders WHERE id LIKE 'order\\_%' ORDER BY id COLLATE "C"`,
  );
  expect(rows.map(({ id }) => id)).toEqual(given);
});

it('ObjectIds of bson and of objectid share a column, sort by time, and read each other', async () => {
  await using schema = await textKeys();
  const before = half(() => new ObjectId().toHexString());
  await insertAll(schema.pool, 'text', before);
  await using ids = createObjectIdGenerator();
  const given = await issuedInto(schema.pool, ids);
  const after = half(() => new ObjectId().toHexString());
  await insertAll(schema.pool, 'text', after);
  const { rows } = await schema.pool.query<{ id: string }>('SELECT id FROM orders ORDER BY id');
  const seconds = rows.map(({ id }) => new ObjectId(id).getTimestamp().getTime());
  expect(rows).toHaveLength(2 * ROWS);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));

  connectBson(ObjectId);
  const stored = deserialize(serialize({ _id: new OurObjectId(given[0]), other: new ObjectId(before[0]) }));
  expect([stored._id, stored.other].map(String)).toEqual([given[0], before[0]]);
  expect(new OurObjectId(before[0]).toHexString()).toBe(before[0]);
});

async function textKeys(): Promise<OwnSchema> {
  const schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders ALTER COLUMN id TYPE text');
  return schema;
}

/** The primary key refuses what is there already. */
async function insertAll(pool: Pool, type: 'text' | 'uuid', keys: readonly Id[]): Promise<void> {
  await pool.query(`INSERT INTO orders (id, item) SELECT key, '' FROM unnest($1::${type}[]) AS given (key)`, [
    keys,
  ]);
}

async function issuedInto(pool: Pool, ids: IdGenerator<string>): Promise<string[]> {
  const given = await ids.nextBatch(ROWS);
  await insertAll(pool, 'text', given);
  return given;
}
