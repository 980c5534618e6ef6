// A server in a process of its own, which tells its parent its URL: `bare` answers every request with a
// constant, `reading` parses the request before it does, and `handler` issues ids of a sequence.
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { Hono } from 'hono';
import { createIdsHandler } from '../../src/handler.js';
import { listen } from '../../src/process/listener.js';

const [kind, database = ''] = process.argv.slice(2);

function bare(reads: boolean): (request: Request) => Promise<Response> {
  const results = [{ realm: '0d1f8c52-6e83-4b59-9f0c-8e3f2a4c7b10', ids: ['1'] }];
  const app = new Hono().post('/v1/ids', async (c) => {
    const { nonce } = reads ? await c.req.json() : { nonce: '0123456789abcdef0123456789abcdef' };
    return c.json({ nonce, results });
  });
  return async (request) => app.fetch(request);
}

async function handler(): Promise<(request: Request) => Promise<Response>> {
  const generator = await createSegmentInprocGenerator({ name: 'order', database });
  return createIdsHandler({ generators: { order: { generator, realm: 'that of the table' } } });
}

const served = kind === 'handler' ? await handler() : bare(kind === 'reading');
const { url } = await listen(served, { host: '127.0.0.1', port: 0 });
process.send?.(url);
