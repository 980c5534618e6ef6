import { uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject } from 'vitest';
import { draw, MODES, openClient } from '../support/clients.js';
import { createTable } from '../support/sequence.js';
import { startServer } from '../support/start-server.js';

const [database, redis] = [inject('databaseUrl'), inject('redisUrl')];

/** A config with a sequence `order` in a table of its own. */
async function configOf(strategy: 'segment-inproc' | 'segment-redis-db') {
  const table = uniqueName('killed');
  await (await createTable(database, table)).createSequence('order');
  const own = strategy === 'segment-inproc' ? {} : { redis, keyPrefix: uniqueName('killed') };
  return { database, generators: { order: { strategy, table, ...own } } };
}

const SETUPS = [
  ...MODES.map((mode) => ({ mode, strategy: 'segment-inproc' as const })),
  { mode: 'ids' as const, strategy: 'segment-redis-db' as const },
];

describe.each(SETUPS)('a client with mode: $mode, of a server with $strategy', ({ mode, strategy }) => {
  faultTest('gets no id twice while its server is killed and started again', async () => {
    const config = await configOf(strategy);
    let server = await startServer(config);
    try {
      const { ids, failures } = await openClient(server.url, mode);
      const all = [await draw(ids, 10)];
      for (let kill = 1; kill <= 2; kill++) {
        const before = failures.length;
        const during = draw(ids, 50);
        await injectFault(() => server.signal('SIGKILL'));
        await felt('a server that does not answer', () => failures.length > before, during);
        await injectFault(async () => {
          await server.ended;
          server = await startServer(config, ['--port', String(server.port)]);
        });
        all.push(await during);
      }
      await ids.close();
      expect(all.flatMap(({ errors }) => errors)).toEqual([]);
      expect(new Set(all.flatMap((drawn) => drawn.ids)).size).toBe(4 * 110 * 3);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});
