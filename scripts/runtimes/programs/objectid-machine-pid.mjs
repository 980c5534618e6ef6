import { createObjectIdGenerator } from '@ids/objectid/machine-pid';
import { assertIncreasing } from './checks.mjs';

export default async function run() {
  assertIncreasing(createObjectIdGenerator({ layout: 'machine-pid' }).nextBatchSync(1_000), 1_000);
}
