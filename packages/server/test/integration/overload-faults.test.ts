import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startFaultProxy, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject } from 'vitest';
import { draw, openClient } from '../support/clients.js';
import { createTable } from '../support/sequence.js';
import { serveHere } from '../support/serve-in-process.js';

/** A server of a sequence `order`, with few requests at once. */
async function openServer(concurrentRequests: number) {
  const table = await createTable(inject('databaseUrl'), uniqueName('overload'));
  await table.createSequence('order');
  const server = await serveHere({ limits: { concurrentRequests } });
  await server.serveSequence(table, 'order');
  return server;
}

faultTest('many clients that waited for a server all get ids when it is back, and no id twice', async () => {
  await using server = await openServer(4);
  const host = '127.0.0.1';
  await using address = await startFaultProxy({ target: { host, port: Number(new URL(server.url).port) } });
  const url = address.url('http');
  const clients = await Promise.all(Array.from({ length: 30 }, () => openClient(url, 'ids')));
  await injectFault(async () => {
    await address.setMode('refuse');
    address.cut();
  });
  const drawing = Promise.all(clients.map(({ ids }) => draw(ids, 2)));
  const failed = () => clients.every(({ failures }) => /cannot be reached/.test(String(failures[0])));
  await felt('a server that no client reaches', failed, drawing);
  await injectFault(() => address.setMode('pass'));
  const drawn = await drawing;
  await Promise.all(clients.map(({ ids }) => ids.close()));
  expect(drawn.flatMap(({ errors }) => errors)).toEqual([]);
  expect(new Set(drawn.flatMap(({ ids }) => ids)).size).toBe(30 * 4 * 2 * 3);
});

/** A request for ids of which only a part has arrived. */
async function halfRequest(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // The server may end it.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head =
    'POST /v1/ids HTTP/1.1\r\nhost: ids\r\ncontent-type: application/json\r\ncontent-length: 60\r\n\r\n';
  socket.write(`${head}{"calls":[{"generator":"order"}`);
  return socket;
}

faultTest('requests that stop half-way take no ids, and hold no place after they have gone', async () => {
  await using server = await openServer(3);
  const status = async () => (await fetch(`${server.url}/v1/generators`)).status;
  const sockets = await injectFault(() => Promise.all([1, 2, 3].map(() => halfRequest(server.url))));
  await expect.poll(status).toBe(503);
  await injectFault(() => {
    for (const socket of sockets ?? []) socket.destroy();
  });
  await expect.poll(status).toBe(200);
  const { ids } = await openClient(server.url, 'ids');
  expect(await ids.nextBatch(3)).toEqual([1, 2, 3]);
  await ids.close();
});
