import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIds } from '@ids/config';
import { uuid7 } from '@ids/uuid7';
import { assertIncreasing } from './checks.mjs';

export default async function run() {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-runtimes-config-'));
  try {
    await writeFile(join(cwd, 'ids.config.json'), '{ "generators": { "order": { "strategy": "uuid7" } } }');
    const ids = await openIds({ strategies: [uuid7], cwd });
    assertIncreasing(await ids.get('order').nextBatch(100), 100);
    await ids.close();
  } finally {
    await rm(cwd, { recursive: true });
  }
}
