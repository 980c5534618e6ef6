import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { createSegmentGenerator } from '@ids/segment-inproc';
import { assertIncreasing, uniqueName } from './checks.mjs';

export default async function run() {
  const { DATABASE_URL: database } = process.env;
  const name = uniqueName();
  const executor = await fromPgUrl(database);
  await ensureSchema(executor);
  await createSequence(executor, name, { startAfter: 0 });
  await executor.close();
  const ids = await createSegmentGenerator({ name, database });
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
}
