// The server of the program `http`, for all runtimes at once: in Node.js, in a Hono app that lets pages of
// other origins ask. Prints its URL.
import { serve } from '@hono/node-server';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc/edge';
import { createIdsHandler } from '@ids/server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';

const source = new MemorySegmentSource({ order: {} });
const generator = await createSegmentInprocGenerator({ name: 'order', source });
const { realm } = await source.describe('order');
const order = { generator, realm, lease: { source, sequence: 'order' } };
const handler = createIdsHandler({ generators: { order } });
const app = new Hono().use(cors({ origin: '*' })).all('/v1/*', (c) => handler(c.req.raw));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
