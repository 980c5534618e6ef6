import { fileURLToPath } from 'node:url';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { expect, inject, it } from 'vitest';
import { createFamily } from '../support/family.js';
import { createTable } from '../support/sequence.js';
import { serveHere } from '../support/serve-in-process.js';
import { newToken } from '../support/tokens.js';

/** A Worker that gets ids from a server, and a Worker that serves them to itself. */
const WORKER = `
  import { createHttpGenerator, createKeyedHttpGenerator } from '@ids/http';
  import { createIdsHandler } from '@ids/server';
  import { MemorySegmentSource } from '@ids/segment';
  import { createSegmentInprocGenerator } from '@ids/segment-inproc/edge';

  async function ownServer(hash) {
    const source = new MemorySegmentSource({ order: {} });
    const generator = await createSegmentInprocGenerator({ name: 'order', source });
    const { realm } = await source.describe('order');
    const clients = [{ name: 'worker', tokens: [hash], rights: ['issue'] }];
    const handler = createIdsHandler({ generators: { order: { generator, realm } }, clients });
    return (url, init) => handler(new Request(url, init));
  }

  export default {
    async fetch(request) {
      const { url, mode, hash, token } = Object.fromEntries(new URL(request.url).searchParams);
      try {
        const fetch = hash === undefined ? undefined : await ownServer(hash);
        if (mode === 'keyed') {
          const messages = await createKeyedHttpGenerator({ url, name: 'message', keyed: true });
          const calls = [messages.next('a'), messages.nextBatch('b', 2), messages.next('a')];
          return Response.json([...(await Promise.all(calls)).flat(), await messages.highest('a')]);
        }
        const ids = await createHttpGenerator({ url, name: 'order', mode, fetch, token });
        const issued = [await ids.next(), ...(await ids.nextBatch(3))];
        if (mode === 'segments') issued.push(ids.nextSync());
        await ids.close();
        return Response.json(issued);
      } catch (error) {
        return new Response(error.stack, { status: 500 });
      }
    },
  };
`;

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    // As wrangler bundles for workerd: an import of a module of Node.js would be an error.
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
  });
  return outputFiles[0]?.text ?? '';
}

it('a Worker gets ids from a server in both modes and by key, and can be a server', async () => {
  const table = await createTable(inject('databaseUrl'), uniqueName('edge'));
  await table.createSequence('order');
  await using server = await serveHere();
  await server.serveSequence(table, 'order', 'increasing');
  server.generators.message = await (await createFamily(inject('databaseUrl'))).open();
  const workerd = new Miniflare({
    // As a module with its text: Miniflare would look for the optional imports of a script.
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundled() }],
    compatibilityDate: '2025-01-01',
  });
  try {
    const ask = async (mode: string, own = {}): Promise<number[]> => {
      const query = new URLSearchParams({ url: server.url, mode, ...own });
      const response = await workerd.dispatchFetch(`http://worker/?${query}`);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      return JSON.parse(text) as number[];
    };
    const all = [...(await ask('ids')), ...(await ask('segments')), ...(await ask('segments'))];
    expect(new Set(all).size).toBe(4 + 5 + 5);
    expect(await ask('keyed')).toEqual([1, 1, 2, 2, 2]);
    expect(await ask('ids', newToken())).toEqual([1, 2, 3, 4]);
  } finally {
    await workerd.dispose();
  }
});
