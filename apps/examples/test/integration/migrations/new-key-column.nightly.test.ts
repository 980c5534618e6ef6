import { randomUUID } from 'node:crypto';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, parseUuid7 } from '@ids/uuid7';
import { createId } from '@paralleldrive/cuid2';
import { ObjectId } from 'bson';
import { nanoid } from 'nanoid';
import type { Pool } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { backfill, type KeyColumn, type OldRow } from '../../../src/migrations/backfill.js';
import { computedKeys, insertLine, insertOrder, issuedKeys } from '../../../src/migrations/dual-write.js';
import { datedUuids, numbersFrom, uuidsOfObjectIds } from '../../../src/migrations/new-keys.js';
import { objectIdOfUuid } from '../../../src/migrations/objectid-uuid.js';
import { oldKeysFrom } from '../../../src/migrations/old-keys.js';
import { createOldShop, type Order, ordersBy } from '../../support/migrated-shop.js';
import { runStep } from '../../support/migration-guide.js';
import { ownSchema } from '../../support/own-schema.js';

/** Orders of before, of those that come in while the old ones are backfilled, and of after. */
const [OLD, MEANWHILE, NEW] = [2_000, 100, 200];
/** What a check finds when all is well. */
const NONE = { missing: '0', repeated: '0', astray: '0' };

interface Case {
  readonly name: string;
  readonly oldType: 'text' | 'uuid';
  readonly newType: 'uuid' | 'bigint';
  oldKey(): string;
}

const objectId = () => new ObjectId().toHexString();
const cases: readonly Case[] = [
  { name: 'cuid2 to uuid7', oldType: 'text', newType: 'uuid', oldKey: createId },
  { name: 'nanoid to numbers', oldType: 'text', newType: 'bigint', oldKey: nanoid },
  { name: 'uuid v4 to uuid7', oldType: 'uuid', newType: 'uuid', oldKey: randomUUID },
  { name: 'ObjectId to uuid7', oldType: 'text', newType: 'uuid', oldKey: objectId },
  { name: 'ObjectId to numbers', oldType: 'text', newType: 'bigint', oldKey: objectId },
];

describe.each(cases)('a new key column: $name', ({ oldType, newType, oldKey }) => {
  const id: KeyColumn = { name: 'id', type: oldType };
  const uid: KeyColumn = { name: 'uid', type: newType };

  it('every row gets one key while orders come in, none repeats later, and the way back restores the old', async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    const { pool } = schema;
    const oldKeys = Array.from({ length: OLD }, oldKey);
    await createOldShop(pool, oldType, oldKeys);
    await using uuids = createUuid7Generator();
    await using numbers = await createSegmentInprocGenerator({ name: 'order', database: pool });
    const ids = newType === 'uuid' ? uuids : numbers;
    const computed = oldKey === objectId && newType === 'uuid';
    const uuidsFor = computed ? uuidsOfObjectIds : datedUuids;
    const keys = computed ? computedKeys(objectId) : issuedKeys(oldKey, ids);
    const forth = { from: id, to: uid, keysFor: newType === 'uuid' ? uuidsFor : numbersFrom(numbers) };

    await runStep(pool, 'Expand', newType);
    const byOldVersion = oldKey();
    await pool.query("INSERT INTO orders (id, item) VALUES ($1, 'old version')", [byOldVersion]);
    expect((await runStep(pool, 'Verify')).rows).toEqual([
      { missing: String(OLD + 1), repeated: '0', astray: '0' },
    ]);
    const orders = (async () => {
      for (const oldOrder of oldKeys.slice(0, MEANWHILE)) {
        const added = await insertOrder(pool, keys, `both, beside ${oldOrder}`);
        await insertLine(pool, added, 'of an order with both');
        await insertLine(pool, oldOrder, 'of an old order');
      }
    })();
    const [filled] = await Promise.all([backfill(pool, { ...forth, batch: 300 }), orders]);
    expect(filled).toBe(OLD + 1);
    // Lines that were added while the batch of their order was under way.
    expect(await backfill(pool, forth)).toBe(0);
    expect((await runStep(pool, 'Verify')).rows).toEqual([NONE]);

    const before = await ordersBy(pool, id);
    expect(before).toHaveLength(OLD + 1 + MEANWHILE);
    expect(before.reduce((sum, { lines }) => sum + lines, 0)).toBe(2 * OLD + 2 * MEANWHILE);
    await runStep(pool, 'Constrain');
    await expectUnset(pool, 'order_uid', before[0]?.key);
    await runStep(pool, 'Switch');
    expect((await runStep(pool, 'Verify')).rows).toEqual([NONE]);
    await runStep(pool, 'Drop the old key');
    expect(withoutKeys(await ordersBy(pool, uid))).toEqual(withoutKeys(before));
    await expectRefused(pool, uid, newType === 'uuid' ? randomUUID() : String(2 ** 53 - 1));

    // The primary key refuses an id that a row has.
    await pool.query(
      `INSERT INTO orders (uid, item) SELECT key, 'new ' || key FROM unnest($1::${newType}[]) AS given (key)`,
      [await ids.nextBatch(NEW)],
    );
    if (computed) await expectObjectIdsIn(pool);
    if (newType === 'uuid') expect((await latestOfOld(pool)) < (await earliestOfNew(pool))).toBe(true);

    await runStep(pool, 'Back: expand', newType, oldType);
    const back = { from: uid, to: id, keysFor: oldKeysFrom(pool, newType, oldKey) };
    const all = before.length + NEW;
    expect(await backVerified(pool)).toEqual({ missing: String(all), repeated: '0', astray: '0' });
    expect(await backfill(pool, back)).toBe(all);
    expect(await backVerified(pool)).toEqual(NONE);
    // As a line that was added while the batch of its order was under way.
    await pool.query("UPDATE order_lines SET order_id = NULL WHERE item = 'of an old order'");
    expect(await backVerified(pool)).toEqual({ ...NONE, astray: String(MEANWHILE) });
    await expect(runStep(pool, 'Back: switch')).rejects.toMatchObject({ code: '23514' });
    await pool.query('ALTER TABLE orders DROP CONSTRAINT orders_id_set');
    for (const constraint of ['set', 'fkey'])
      await pool.query(`ALTER TABLE order_lines DROP CONSTRAINT order_lines_order_id_${constraint}`);
    expect(await backfill(pool, back)).toBe(0);
    expect(await backVerified(pool)).toEqual(NONE);
    await runStep(pool, 'Back: switch');
    const restored = await ordersBy(pool, id);
    expect(restored.filter(({ item }) => !item.startsWith('new '))).toEqual(before);
    expect(new Set(restored.map(({ key }) => key)).size).toBe(all);
    await expectRefused(pool, id, oldKey());
    await expectUnset(pool, 'order_id');
    // A version that writes only the old key.
    const last = oldKey();
    await pool.query("INSERT INTO orders (id, item) VALUES ($1, 'last')", [last]);
    await pool.query("INSERT INTO order_lines (order_id, item) VALUES ($1, 'of the last')", [last]);
  });
});

it('orders that were written with only the new key get an old one before the columns are dropped', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await createOldShop(pool, 'text', Array.from({ length: 50 }, createId));
  await runStep(pool, 'Expand');
  const [id, uid] = [
    { name: 'id', type: 'text' },
    { name: 'uid', type: 'uuid' },
  ] as const;
  await backfill(pool, { from: id, to: uid, keysFor: datedUuids });
  await runStep(pool, 'Constrain');
  await runStep(pool, 'Switch');
  const before = await ordersBy(pool, id);

  await using ids = createUuid7Generator();
  const added = await ids.nextBatch(3);
  await pool.query(
    "INSERT INTO orders (uid, item) SELECT key, 'new ' || key FROM unnest($1::uuid[]) AS given (key)",
    [added],
  );
  await pool.query("INSERT INTO order_lines (order_uid, item) SELECT unnest($1::uuid[]), 'of a new order'", [
    added,
  ]);
  expect(await backVerified(pool)).toEqual({ ...NONE, missing: '3' });
  const keysFor = async (rows: readonly OldRow[]) => rows.map(() => createId());
  expect(await backfill(pool, { from: uid, to: id, keysFor })).toBe(3);
  expect(await backVerified(pool)).toEqual(NONE);

  const after = await ordersBy(pool, id);
  expect(after.filter(({ item }) => !item.startsWith('new '))).toEqual(before);
  expect(after.filter(({ item }) => item.startsWith('new ')).map(({ lines }) => lines)).toEqual([1, 1, 1]);
});

it('a backfill that was overtaken by another one while it got its keys uses none of them', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await createOldShop(pool, 'text', Array.from({ length: 50 }, createId));
  await runStep(pool, 'Expand');
  const columns = { from: { name: 'id', type: 'text' }, to: { name: 'uid', type: 'uuid' } } as const;
  const filledMeanwhile: number[] = [];
  const filled = await backfill(pool, {
    ...columns,
    keysFor: async (rows) => {
      filledMeanwhile.push(await backfill(pool, { ...columns, keysFor: datedUuids }));
      return datedUuids(rows);
    },
  });
  expect([filled, filledMeanwhile]).toEqual([0, [50]]);
  expect((await runStep(pool, 'Verify')).rows).toEqual([NONE]);
});

function withoutKeys(orders: readonly Order[]) {
  return orders.map(({ item, lines }) => ({ item, lines }));
}

/** The foreign key is on: a line of an order that does not exist cannot be added. */
async function expectRefused(pool: Pool, { name }: KeyColumn, nobody: string): Promise<void> {
  const astray = pool.query(`INSERT INTO order_lines (order_${name}, item) VALUES ($1, '')`, [nobody]);
  await expect(astray).rejects.toMatchObject({ code: '23503' });
}

/** What the check on the way back finds. */
async function backVerified(pool: Pool): Promise<unknown> {
  return (await runStep(pool, 'Back: verify')).rows[0];
}

/** A line must have the key in `column`; `orderId` goes into `order_id`. */
async function expectUnset(pool: Pool, column: 'order_id' | 'order_uid', orderId?: string): Promise<void> {
  const unset = pool.query("INSERT INTO order_lines (order_id, item) VALUES ($1, '')", [orderId ?? null]);
  await expect(unset).rejects.toMatchObject({ code: '23514', constraint: `order_lines_${column}_set` });
}

async function expectObjectIdsIn(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ uid: string; id: string }>(
    'SELECT uid, old.id FROM orders JOIN order_old_ids AS old USING (uid) ORDER BY uid',
  );
  expect(rows).toHaveLength(OLD + 1 + MEANWHILE);
  const decoded = rows.map((row) => objectIdOfUuid(row.uid));
  expect(decoded).toEqual(rows.map((row) => row.id));
  expect(decoded).toEqual(decoded.toSorted());
}

async function latestOfOld(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    "SELECT uid FROM orders WHERE item ~ '^old [0-9]' ORDER BY uid DESC LIMIT 1",
  );
  return parseUuid7(rows[0].uid).ms;
}

async function earliestOfNew(pool: Pool): Promise<number> {
  const { rows } = await pool.query("SELECT uid FROM orders WHERE item LIKE 'new %' ORDER BY uid LIMIT 1");
  return parseUuid7(rows[0].uid).ms;
}
