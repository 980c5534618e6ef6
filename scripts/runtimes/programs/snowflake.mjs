import { fromPgUrl } from '@ids/segment/sql';
import { createSnowflakeGenerator } from '@ids/snowflake';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
import { assertIncreasing, uniqueName } from './checks.mjs';

export default async function run() {
  const { DATABASE_URL: database } = process.env;
  const name = uniqueName();
  const executor = await fromPgUrl(database);
  await ensureSlotSchema(executor);
  await createSlots(executor, name, { layout: '41+10+12' });
  await executor.close();
  const ids = await createSnowflakeGenerator({ name, database, startup: 'at-once' });
  assertIncreasing([await ids.next(), ...(await ids.nextBatch(999))], 1_000);
  await ids.close();
}
