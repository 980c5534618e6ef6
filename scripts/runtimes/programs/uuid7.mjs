import { createUuid7Generator, parseUuid7 } from '@ids/uuid7';
import { assertIncreasing } from './checks.mjs';

export default async function run() {
  const before = Date.now();
  const ids = createUuid7Generator().nextBatchSync(1_000);
  assertIncreasing(ids, 1_000);
  const { ms } = parseUuid7(ids[0]);
  if (ms < before || ms > Date.now()) throw new Error(`must have the present time, got ${ms}`);
}
