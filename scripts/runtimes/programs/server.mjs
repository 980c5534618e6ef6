import { createHttpGenerator } from '@ids/http';
import { createIdsHandler } from '@ids/server';
import { createUuid7Generator } from '@ids/uuid7';
import { Hono } from 'hono';
import { assertIncreasing } from './checks.mjs';

/** Not imported by its name, which a bundle for workerd could not resolve. */
const NODE_SERVER = '@hono/node-server';

export default async function run() {
  const handler = createIdsHandler({ generators: { user: { generator: createUuid7Generator() } } });
  const { close, ...client } = await mount(handler);
  const ids = await createHttpGenerator({ ...client, name: 'user', as: 'string', text: 'uuid' });
  assertIncreasing(await ids.nextBatch(100), 100);
  await ids.close();
  await close();
}

/** How the handler is reached: by the server of the runtime, or in a Hono app where there is none. */
async function mount(handler) {
  if (globalThis.Bun !== undefined) {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handler });
    return { url: server.url.origin, close: () => server.stop(true) };
  }
  if (globalThis.Deno !== undefined) {
    const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => undefined }, handler);
    return { url: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
  }
  const app = new Hono().all('/v1/*', (c) => handler(c.req.raw));
  if (globalThis.process?.versions?.node === undefined) {
    return { url: 'http://ids.test', fetch: async (...args) => app.request(...args), close: () => undefined };
  }
  const { serve } = await import(NODE_SERVER);
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() });
    });
  });
}
