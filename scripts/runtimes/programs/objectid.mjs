import { createObjectIdGenerator } from '@ids/objectid';
import { ObjectId } from '@ids/objectid/bson';
import { parseObjectId } from '@ids/objectid/tools';
import { assertIncreasing } from './checks.mjs';

export default async function run() {
  const ids = createObjectIdGenerator().nextBatchSync(1_000);
  assertIncreasing(ids, 1_000);
  const { seconds } = parseObjectId(ids[0]);
  if (Math.abs(seconds - Date.now() / 1_000) > 5)
    throw new Error(`must have the present time, got ${seconds}`);
  if (new ObjectId(ids[0]).toHexString() !== ids[0]) throw new Error('must be the same ObjectId');
}
