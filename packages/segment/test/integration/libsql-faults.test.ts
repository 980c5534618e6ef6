import { type FaultProxy, type LibsqlServer, startFaultProxy, startLibsql } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createSequence, ensureSchema, fromLibsql, SqlSegmentSource } from '../../src/sql/index.js';
import { openClient } from '../libsql-client.js';

let server: LibsqlServer;
let proxy: FaultProxy;
beforeAll(async () => {
  server = await startLibsql();
  proxy = await startFaultProxy({ target: server });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

/** A sequence with ten ids reserved, through the proxy; and how many are, by the server itself. */
async function openSequence(name: string) {
  const executor = fromLibsql(openClient(proxy.url('http')));
  await ensureSchema(executor);
  await createSequence(executor, name);
  const source = new SqlSegmentSource(executor);
  expect((await source.reserve(name, 10)).high).toBe(10);
  const direct = openClient(server.url);
  const maxId = async () => {
    const { rows } = await direct.execute('SELECT max_id FROM id_segment WHERE server_name = ?', [name]);
    return Number(rows[0]?.max_id);
  };
  return { source, maxId };
}

describe('a server of libSQL', () => {
  faultTest('whose answer is lost has reserved a segment that nobody gets', async () => {
    const { source, maxId } = await openSequence('lost');
    await injectFault(() => proxy.setMode('swallow-replies'));
    const lost = source.reserve('lost', 10).catch((error: unknown) => error);
    await expect.poll(maxId).toBe(20);
    await injectFault(() => proxy.cut());
    expect(await lost).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    await proxy.setMode('pass');
    expect((await source.reserve('lost', 10)).low).toBe(21);
  });

  faultTest('that does not answer is given up on in time', async () => {
    const { source } = await openSequence('late');
    await injectFault(() => proxy.setMode('blackhole'));
    // A caller that waits longer gets its segment, which is a failure here.
    const healed = setTimeout(() => proxy.setMode('pass'), 5_000);
    await expect(source.reserve('late', 10, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    clearTimeout(healed);
    await proxy.setMode('pass');
    // The request that was held arrives now, and may be served first.
    expect([11, 21]).toContain((await source.reserve('late', 10)).low);
  });
});
