import { fastifyIds } from '@ids/fastify';
import { segmentInproc } from '@ids/segment-inproc';
import Fastify from 'fastify';

const app = Fastify({ logger: true });
await app.register(fastifyIds, { strategies: [segmentInproc] });
const orderIds = app.ids.get('order');
app.post('/orders', async (_, reply) => reply.code(201).send({ id: String(await orderIds.next()) }));
await app.listen({ port: Number(process.env.PORT ?? 3000) });
const stop = () => app.close();
process.once('SIGTERM', stop).once('SIGINT', stop);
