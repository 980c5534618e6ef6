import type { LoadConfigOptions } from '@ids/config';
import { type IdGenerator, isIdError } from '@ids/core';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { openServiceIds } from '../open-service-ids.js';
import { isServing, publicHealth } from './health.js';

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

declare module 'fastify' {
  interface FastifyInstance {
    readonly orderIds: IdGenerator;
    /** From now on `GET /readyz` answers 503; requests are served all the same. Call it at SIGTERM. */
    readonly drain: () => void;
  }
}

/**
 * An application whose routes find order ids at `app.orderIds`. It opened them, so `app.close()` closes them.
 */
export async function buildApp(
  options: LoadConfigOptions = {},
  logger: FastifyServerOptions['logger'] = true,
): Promise<FastifyInstance> {
  const ids = await openServiceIds(options);
  const app = Fastify({ logger });
  let draining = false;
  app.decorate('drain', () => {
    draining = true;
  });
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
    const ready = (await isServing(app.orderIds)) && !draining;
    return reply.code(ready ? 200 : 503).send(publicHealth(app.orderIds));
  });
  app.post('/orders', async (_, reply) => {
    // As a string an id of every strategy fits.
    return reply.code(201).send({ id: String(await app.orderIds.next()) });
  });
  return app;
}
