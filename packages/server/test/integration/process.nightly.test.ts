import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '@ids/core';
import { createHttpGenerator, http } from '@ids/http';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { afterAll, expect, inject, it } from 'vitest';
import { createTable } from '../support/sequence.js';
import { runServer, startServer } from '../support/start-server.js';
import { newToken } from '../support/tokens.js';

const database = inject('databaseUrl');

const folder = mkdtempSync(join(tmpdir(), 'ids-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: object): string {
  const file = join(folder, `${uniqueName('clients')}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

async function configOf(order: 'increasing' | 'real-time' = 'increasing') {
  const table = uniqueName('process');
  const { createSequence } = await createTable(database, table);
  await createSequence('order');
  return { database, generators: { order: { strategy: 'segment-inproc', table, order } } };
}

it('serves a config file, says so, and issues ids to a client that names it in its own config', async () => {
  await using server = await startServer(await configOf());
  expect(server.printed[0]).toBe(`serves order at ${server.url}/v1`);
  await expect.poll(() => server.printed[1]).toMatch(/^ {2}order: segment-inproc, realm \S+, leases ranges$/);

  const ids = createIds([http]);
  const client = await ids.create({ strategy: 'http', url: server.url, name: 'order' });
  const calls = [client.next(), client.nextBatch(3), client.next()];
  expect((await Promise.all(calls)).flat()).toEqual([1, 2, 3, 4, 5]);
  expect(client.health().status).toBe('ok');
  expect(client.counters()).toEqual({ idsIssued: 5, idsDiscarded: 0, takes: 1 });
  await client.close();
});

it('answers probes, logs each request as JSON, and has its page and its metrics', async () => {
  await using server = await startServer(await configOf());
  expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', generators: { order: 'ok' } }]);

  const body = JSON.stringify({ calls: [{ generator: 'order', count: 2 }] });
  await fetch(`${server.url}/v1/ids`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  await expect
    .poll(() => server.log.find(({ path }) => path === '/v1/ids'))
    .toMatchObject({ msg: 'request', method: 'POST', status: 200, ids: 2 });
  expect((await fetch(server.url)).headers.get('content-type')).toBe('text/html; charset=utf-8');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('idgen_http_requests_total{path="/v1/ids",status="200"} 1\n');
});

it('refuses an address that others can reach', async () => {
  const { code, stderr } = await runServer(await configOf(), ['--host', '0.0.0.0']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--host: without --clients, must be a loopback address .*, got "0\.0\.0\.0"/);
});

it('refuses requests for a name that is not of this machine', async () => {
  await using server = await startServer(await configOf());
  // As the browser of this machine would send it for a website whose name resolves to 127.0.0.1.
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'rebound.example.com' };
    get(`${server.url}/v1/generators`, { headers }, (response) => resolve(response.resume().statusCode)).on(
      'error',
      reject,
    );
  });
  expect(status).toBe(403);
});

it('with clients, listens where it is told to, and issues only to them', async () => {
  const { token, hash } = newToken();
  const clients = { clients: [{ name: 'shop', tokens: [hash], rights: ['issue', 'lease'] }] };
  const args = ['--port', '0', '--host', '0.0.0.0', '--clients', fileWith(clients)];
  await using server = await startServer(await configOf(), args);
  const url = `http://127.0.0.1:${server.port}`;
  const ids = await createHttpGenerator({ url, token, name: 'order', mode: 'segments' });
  await ids.ready();
  expect([ids.nextSync(), ...ids.nextBatchSync(2)]).toEqual([1, 2, 3]);
  await ids.close();
  await expect(createHttpGenerator({ url, name: 'order' })).rejects.toMatchObject({ status: 401 });
  await expect.poll(() => server.log.find(({ client }) => client === 'shop')).toBeDefined();
  expect(JSON.stringify(server.log)).not.toContain(token);
});

it.each([
  ['no file', undefined, /it cannot be read \(ENOENT\)/],
  ['a right that does not exist', { rights: ['write'] }, /clients\.0\.rights\.0: /],
  ['a token in place of its hash', { tokens: ['a-secret-token'] }, /must be the SHA-256 hash of a token/],
  ['an unknown generator', { generators: ['ordr'] }, /there is no generator "ordr", known: order/],
])('with clients, refuses %s', async (_, wrong, message) => {
  const client = { name: 'shop', tokens: [newToken().hash], rights: ['issue'], ...wrong };
  const file = wrong === undefined ? '/nowhere/clients.json' : fileWith({ clients: [client] });
  const { code, stderr } = await runServer(await configOf(), ['--clients', file, '--port', '0']);
  expect(code).toBe(3);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/a-secret-token/);
});

it('reads a file of clients that changes, and keeps those from before if it is wrong', async () => {
  const [one, other] = [newToken(), newToken()];
  const clients = (...tokens: readonly string[]) => ({
    clients: [{ name: 'shop', tokens, rights: ['read'] }],
  });
  const file = fileWith(clients(one.hash));
  await using server = await startServer(await configOf(), ['--port', '0', '--clients', file]);
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/v1/generators`, { headers })).status;
  };
  expect([await ask(one.token), await ask(other.token)]).toEqual([200, 401]);
  writeFileSync(file, JSON.stringify(clients(other.hash)));
  await expect.poll(() => ask(other.token)).toBe(200);
  expect(await ask(one.token)).toBe(401);

  writeFileSync(file, JSON.stringify(clients(other.token)));
  server.signal('SIGHUP');
  await expect
    .poll(() => server.log.find(({ msg }) => msg === 'clients not reloaded: those from before stay'))
    .toMatchObject({ message: expect.stringMatching(/must be the SHA-256 hash of a token/) });
  expect(await ask(other.token)).toBe(200);
  expect(JSON.stringify(server.log)).not.toContain(other.token);
});

it('ends with the exit code of a wrong config, and prints no password', async () => {
  const database = 'postgres://me:hunter2-secret@127.0.0.1:1/db';
  const config = { database, generators: { order: { strategy: 'segment-inproc', stpe: 1 } } };
  const { code, stderr } = await runServer(config, []);
  expect(code).toBe(3);
  expect(stderr).toMatch(/generators\.order: segment-inproc: unknown option "stpe"/);
  expect(stderr).not.toMatch(/hunter2/);
});

it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s when nothing is left to answer', async (signal) => {
  const server = await startServer(await configOf());
  await fetch(`${server.url}/healthz`);
  server.signal(signal);
  expect(await server.ended).toBe(0);
  expect(server.log.at(-1)).toMatchObject({ msg: 'ended', inTime: true });
});
