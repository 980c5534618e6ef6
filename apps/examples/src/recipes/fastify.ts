import { type FastifyIdsOptions, fastifyIds } from '@ids/fastify';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { isServing, publicHealth } from './health.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `GET /readyz` answers 503; requests are served all the same. Call it at SIGTERM. */
    readonly drain: () => void;
  }
}

/** An application whose routes find generators at `app.ids`. Await `app.ready()`: it opens them. */
export function buildApp(
  options: FastifyIdsOptions,
  logger: FastifyServerOptions['logger'] = true,
): FastifyInstance {
  const app = Fastify({ logger });
  let draining = false;
  app.decorate('drain', () => {
    draining = true;
  });
  // Otherwise a connection that was busy when closing began would delay it until it times out, after 72 s.
  app.addHook('onSend', async (_, reply) => {
    if (!app.server.listening) reply.header('connection', 'close');
  });

  app.register(fastifyIds, options);
  app.register(async (routes) => {
    const orderIds = routes.ids.get('order');
    routes.get('/readyz', async (_, reply) => {
      const ready = (await isServing(orderIds)) && !draining;
      return reply.code(ready ? 200 : 503).send(publicHealth(orderIds));
    });
    routes.post('/orders', async (_, reply) => {
      // As a string an id of every strategy fits.
      return reply.code(201).send({ id: String(await orderIds.next()) });
    });
  });
  return app;
}
