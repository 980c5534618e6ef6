import { startLibsql } from '@ids/local-services';
import { fromLibsql } from '@ids/store/sqlite';
import { createClient } from '@libsql/client';
import { expect, it, onTestFinished } from 'vitest';
import { createSeries, ensureNumberSchema, nextWithin } from '../../src/index.js';

it('a transaction on a server of libSQL takes numbers, but cannot notice a restore', async () => {
  const server = await startLibsql();
  onTestFinished(() => server.close());
  const client = createClient({ url: server.url });
  onTestFinished(() => client.close());
  const executor = fromLibsql(client, { url: server.url });
  await ensureNumberSchema(executor);
  await createSeries(executor, 'invoice');
  for (const [end, first] of [
    ['rollback', 1],
    ['commit', 1],
    ['commit', 3],
  ] as const) {
    const tx = await client.transaction('write');
    const next = () => nextWithin(tx, 'invoice', 'acme');
    expect([await next(), await next()]).toEqual([first, first + 1]);
    await expect(nextWithin(tx, 'invoice', 'acme', { afterRestore: 'refuse' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
    });
    await tx[end]();
    await expect(next()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  }
});
