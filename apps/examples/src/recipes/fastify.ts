import type { LoadConfigOptions } from '@ids/config';
import { type IdGenerator, isIdError } from '@ids/core';
import Fastify, { type FastifyInstance } from 'fastify';
import { openServiceIds } from '../open-service-ids.js';
import { isServing } from './health.js';

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

declare module 'fastify' {
  interface FastifyInstance {
    readonly orderIds: IdGenerator;
  }
}

/**
 * An application whose routes find order ids at `app.orderIds`. It opened them, so `app.close()` closes them.
 */
export async function buildApp(options: LoadConfigOptions = {}): Promise<FastifyInstance> {
  const ids = await openServiceIds(options);
  const app = Fastify();
  app.decorate('orderIds', ids.get('order'));
  // Fastify runs these hooks once every request under way has its answer.
  app.addHook('onClose', () => ids.close());
  // Otherwise a connection that was busy when closing began would delay it until it times out, after 72 s.
  app.addHook('onSend', async (_, reply) => {
    if (!app.server.listening) reply.header('connection', 'close');
  });

  // The log gets the cause; strangers learn only whether trying again can help.
  app.setErrorHandler((error, request, reply) => {
    if (!isIdError(error)) return reply.send(error);
    request.log.error(error);
    if (!error.retryable) return reply.code(500).send({ error: 'no id can be issued' });
    return reply.code(503).header('retry-after', RETRY_AFTER_S).send({ error: 'no id can be issued now' });
  });

  app.get('/readyz', async (_, reply) => {
    const code = (await isServing(app.orderIds)) ? 200 : 503;
    return reply.code(code).send(app.orderIds.health());
  });
  app.post('/orders', async (_, reply) => {
    // As a string an id of every strategy fits.
    return reply.code(201).send({ id: String(await app.orderIds.next()) });
  });
  return app;
}
