import type { LoadConfigOptions } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import Fastify, { type FastifyInstance } from 'fastify';
import { openServiceIds } from '../open-service-ids.js';
import { isServing } from './health.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly orderIds: IdGenerator;
  }
}

/** An application whose routes find order ids at `app.orderIds`. It opened them, so `app.close()` closes them. */
export async function buildApp(options: LoadConfigOptions = {}): Promise<FastifyInstance> {
  const ids = await openServiceIds(options);
  const app = Fastify();
  app.decorate('orderIds', ids.get('order'));
  // Fastify runs these hooks once every request under way has its answer.
  app.addHook('onClose', () => ids.close());
  // Else a connection that was busy when closing began would hold it up until it times out, after 72 s.
  app.addHook('onSend', async (_, reply) => {
    if (!app.server.listening) reply.header('connection', 'close');
  });

  app.get('/readyz', async (_, reply) => {
    const code = (await isServing(app.orderIds)) ? 200 : 503;
    return reply.code(code).send(app.orderIds.health());
  });
  app.post('/orders', async (_, reply) => {
    // As text an id of every strategy fits.
    return reply.code(201).send({ id: String(await app.orderIds.next()) });
  });
  return app;
}
