import type { LoadConfigOptions } from '@ids/config';
import { isIdError } from '@ids/core';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { openServiceIds } from '../open-service-ids.js';

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

/** The log gets the cause; strangers learn only whether trying again can help. */
const answerWithoutId: ErrorRequestHandler = (error, _, response, next) => {
  if (!isIdError(error)) return next(error);
  console.error(error);
  if (!error.retryable) return response.status(500).json({ error: 'no id can be issued' });
  response.set('retry-after', String(RETRY_AFTER_S)).status(503).json({ error: 'no id can be issued now' });
};

/** An application, and how to close what it opened: after `closeServer` of keep-alive.ts. */
export async function buildExpress(
  options: LoadConfigOptions = {},
): Promise<{ readonly app: Express; close(): Promise<void> }> {
  const ids = await openServiceIds(options);
  const orderIds = ids.get('order');
  const app = express();
  // Express 5 passes what a handler rejects with to the error handlers.
  app.post('/orders', async (_, response) => {
    response.status(201).json({ id: String(await orderIds.next()) });
  });
  // The last one, behind all routes.
  app.use(answerWithoutId);
  return { app, close: () => ids.close() };
}
