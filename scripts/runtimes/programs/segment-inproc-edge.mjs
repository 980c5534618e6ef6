import { MemoryKeyedSource } from '@ids/keyed';
import { ensureKeyedSchema, SqliteKeyedSource } from '@ids/keyed/sqlite';
import { MemorySegmentSource } from '@ids/segment';
import { createSequence, ensureSchema, fromD1, SqliteSegmentSource } from '@ids/segment/sqlite';
import { createKeyedSegmentInprocGenerator, createSegmentInprocGenerator } from '@ids/segment-inproc/edge';
import { assertIncreasing } from './checks.mjs';

/** Only workerd has bindings, with a database of D1 among them. */
export default async function run({ DB } = {}) {
  const { order, message } = DB === undefined ? inMemory() : await inDatabase(fromD1(DB));
  const ids = await createSegmentInprocGenerator({ name: 'order', source: order });
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
  const keyed = await createKeyedSegmentInprocGenerator({ name: 'message', source: message });
  for (const key of ['group:1', 'group:2']) {
    assertIncreasing([0, await keyed.next(key), ...(await keyed.nextBatch(key, 9))], 11);
  }
  await keyed.close();
}

function inMemory() {
  return { order: new MemorySegmentSource({ order: {} }), message: new MemoryKeyedSource({ message: 0 }) };
}

async function inDatabase(executor) {
  await ensureSchema(executor);
  await ensureKeyedSchema(executor);
  for (const name of ['order', 'message']) await createSequence(executor, name);
  return { order: new SqliteSegmentSource(executor), message: new SqliteKeyedSource(executor) };
}
