import { createHttpGenerator } from '@ids/http';
import { assertIncreasing } from './checks.mjs';

export default async function run({ IDS_SERVER_URL: url } = globalThis.process?.env ?? {}) {
  const issued = await createHttpGenerator({ url, name: 'order' });
  assertIncreasing([await issued.next(), ...(await issued.nextBatch(99))], 100);
  await issued.close();
  const leased = await createHttpGenerator({ url, name: 'order', mode: 'segments' });
  await leased.ready();
  assertIncreasing([leased.nextSync(), ...(await leased.nextBatch(1_999))], 2_000);
  await leased.close();
}
