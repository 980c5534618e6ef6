import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { assertIncreasing, uniqueName } from './checks.mjs';

export default async function run() {
  const { DATABASE_URL: database, REDIS_URL: redis } = process.env;
  const name = `${uniqueName()}_redis`;
  const executor = await fromPgUrl(database);
  await ensureSchema(executor);
  await createSequence(executor, name, { startAfter: 0 });
  await executor.close();
  const ids = await createSegmentRedisDbGenerator({ name, redis, database });
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
}
