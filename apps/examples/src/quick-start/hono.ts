import { serve } from '@hono/node-server';
import { openIds } from '@ids/config';
import { isIdError } from '@ids/core';
import { segmentInproc } from '@ids/segment-inproc';
import { Hono } from 'hono';

const ids = await openIds({ strategies: [segmentInproc] });
const orderIds = ids.get('order');
const app = new Hono();
app.post('/orders', async (context) => context.json({ id: String(await orderIds.next()) }, 201));
app.onError((error, context) => {
  console.error(error);
  if (isIdError(error) && error.retryable) return context.body(null, 503, { 'retry-after': '2' });
  return context.body(null, 500);
});
const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port, hostname: 'localhost' });
const stop = () => server.close(() => ids.close());
process.once('SIGTERM', stop).once('SIGINT', stop);
