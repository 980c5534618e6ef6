import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { assertIncreasing, uniqueName } from './checks.mjs';

export default async function run() {
  const { DATABASE_URL: database } = process.env;
  const name = uniqueName();
  const executor = await fromPgUrl(database);
  await ensureSchema(executor);
  await createSequence(executor, name, { startAfter: 0 });
  await executor.close();
  await issue({ name, database });
  // Bun has a client of its own.
  if (globalThis.Bun === undefined) return;
  const sql = new Bun.SQL(database);
  await issue({ name, database: sql });
  await sql.close();
}

async function issue(options) {
  const ids = await createSegmentInprocGenerator(options);
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
}
