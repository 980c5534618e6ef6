import { type IdGenerator, isIdError } from '@ids/core';
import { Hono } from 'hono';

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

/** The routes of a server in any runtime; whoever opened the generator closes it. */
export function orderRoutes(orderIds: IdGenerator): Hono {
  const app = new Hono();
  app.post('/orders', async (context) => context.json({ id: String(await orderIds.next()) }, 201));
  // The log gets the cause; strangers learn only whether trying again can help.
  app.onError((error, context) => {
    console.error(error);
    if (!isIdError(error) || !error.retryable) return context.json({ error: 'no id can be issued' }, 500);
    return context.json({ error: 'no id can be issued now' }, 503, { 'retry-after': String(RETRY_AFTER_S) });
  });
  return app;
}
