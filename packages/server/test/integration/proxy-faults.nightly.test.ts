import { uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it } from 'vitest';
import { draw, MODES, type Mode, openClient } from '../support/clients.js';
import { createFamily } from '../support/family.js';
import { startHttpProxy } from '../support/http-proxy.js';
import { createTable } from '../support/sequence.js';
import { type ServedHere, serveHere } from '../support/serve-in-process.js';

const database = inject('databaseUrl');

/** What two servers can share. */
interface Store {
  serveBy(server: ServedHere): Promise<void>;
}

/** A sequence, or for `keyed` a family of them, in a table of its own. */
async function createStore(mode: Mode): Promise<Store> {
  if (mode === 'keyed') {
    const family = await createFamily(database);
    return {
      serveBy: async ({ generators }) => {
        generators.order = await family.open();
      },
    };
  }
  const table = await createTable(database, uniqueName('proxied'));
  await table.createSequence('order');
  return { serveBy: (server) => server.serveSequence(table, 'order', 'increasing') };
}

/** A server of a generator `order`, over a store of its own or `store`. */
async function openServer(mode: Mode, store?: Store) {
  const own = store ?? (await createStore(mode));
  const server = await serveHere();
  await own.serveBy(server);
  return { server, store: own };
}

/** What a client without any check would get: the body of an answer. */
async function ask(url: string, mode: Mode): Promise<unknown> {
  const call = { generator: 'order', ...(mode === 'keyed' && { key: 'group:1' }) };
  const [path, body] = mode === 'segments' ? ['leases', { ...call, size: 1 }] : ['ids', { calls: [call] }];
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

describe.each([...MODES, 'keyed'] as const)('a client with mode: %s', (mode) => {
  faultTest('has a gap where answers were lost, repeats no id, and settles every call', async () => {
    const { server } = await openServer(mode);
    await using _server = server;
    await using proxy = await startHttpProxy(server.url);
    const { ids, failures } = await openClient(proxy.url, mode);
    const before = await draw(ids, 5);
    await injectFault(() => proxy.setMode('lose-response'));
    const during = draw(ids, 20);
    await felt('three answers that were lost', () => failures.length >= 3, during);
    await injectFault(() => proxy.setMode('pass'));
    const all = [before, await during, await draw(ids, 5)];
    await ids.close();
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    const issued = all.flatMap((drawn) => drawn.ids.map(Number));
    expect(new Set(issued).size).toBe(4 * 30 * 3);
    expect(Math.max(...issued), 'ids of lost answers are missing').toBeGreaterThan(issued.length);
  });

  faultTest('gives up an answer that stops half-way, repeats no id, and settles every call', async () => {
    const { server } = await openServer(mode);
    await using _server = server;
    await using proxy = await startHttpProxy(server.url);
    const { ids, failures } = await openClient(proxy.url, mode, 3_000);
    const before = await draw(ids, 5);
    await injectFault(() => proxy.setMode('stall-response'));
    const during = draw(ids, 5);
    await felt('an answer that never ended', () => failures.length > 0, during);
    expect(failures[0]).toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    await injectFault(() => proxy.setMode('pass'));
    const all = [before, await during, await draw(ids, 5)];
    await ids.close();
    for (const { code } of all.flatMap(({ errors }) => errors)) expect(code).toBe('ERR_IDS_TIMEOUT');
    const issued = all.flatMap((drawn) => drawn.ids.map(Number));
    expect(new Set(issued).size).toBe(issued.length);
    expect(Math.max(...issued), 'ids of the half answer are missing').toBeGreaterThan(issued.length);
  });

  faultTest('has a gap where a proxy sends requests twice, and repeats no id', async () => {
    const { server } = await openServer(mode);
    await using _server = server;
    await using proxy = await startHttpProxy(server.url);
    const { ids } = await openClient(proxy.url, mode);
    await injectFault(() => proxy.setMode('send-twice'));
    const { ids: issued, errors } = await draw(ids, 30);
    await ids.close();
    expect(proxy.affected).toBeGreaterThan(3);
    expect(errors).toEqual([]);
    expect(new Set(issued).size).toBe(4 * 30 * 3);
    expect(Math.max(...issued.map(Number)), 'ids of first answers are missing').toBeGreaterThan(
      issued.length,
    );
  });

  faultTest('refuses an answer that a cache has kept, and goes on after it', async () => {
    const { server } = await openServer(mode);
    await using _server = server;
    await using proxy = await startHttpProxy(server.url);
    const { ids, failures } = await openClient(proxy.url, mode);
    const before = await draw(ids, 5);
    await injectFault(() => proxy.setMode('replay'));
    const during = draw(ids, 20);
    await felt('two answers that were kept', () => failures.length >= 2, during);
    for (const { message } of failures) expect(message).toMatch(/has the nonce of another request/);
    await injectFault(() => proxy.setMode('pass'));
    const all = [before, await during];
    await ids.close();
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    expect(new Set(all.flatMap((drawn) => drawn.ids)).size).toBe(4 * 25 * 3);

    // Without the check, the same ids come again.
    const kept = await ask(proxy.url, mode);
    await injectFault(() => proxy.setMode('replay'));
    expect(await ask(proxy.url, mode)).toEqual(kept);
  });

  faultTest('refuses answers of a server with another database, and repeats no id', async () => {
    const [{ server: one }, { server: other }] = [await openServer(mode), await openServer(mode)];
    await using _one = one;
    await using _other = other;
    await using proxy = await startHttpProxy(one.url);
    const { ids, failures } = await openClient(proxy.url, mode);
    const before = await draw(ids, 5);
    await injectFault(() => proxy.setTargets(one.url, other.url));
    const during = await draw(ids, 30);
    await injectFault(() => proxy.setTargets(one.url));
    const after = await draw(ids, 5);
    await ids.close();
    expect(failures.length).toBeGreaterThan(0);
    for (const error of failures) expect(error).toMatchObject({ code: 'ERR_IDS_REALM' });
    expect(during.errors.length).toBeGreaterThan(0);
    for (const error of during.errors) expect(error.code).toBe('ERR_IDS_REALM');
    expect(after.errors).toEqual([]);
    const issued = [before, during, after].flatMap((drawn) => drawn.ids);
    expect(new Set(issued).size).toBe(issued.length);

    // Without the check, ids that were issued before would have come from the other one.
    const { ids: foreign } = await draw((await openClient(other.url, mode)).ids, 5);
    expect(foreign.filter((id) => issued.includes(id)).length).toBeGreaterThan(0);
  });

  it('gets no id twice from two servers side by side, and neither does another client', async () => {
    const { server: one, store } = await openServer(mode);
    const { server: other } = await openServer(mode, store);
    await using _one = one;
    await using _other = other;
    await using proxy = await startHttpProxy(one.url, other.url);
    const clients = await Promise.all([openClient(proxy.url, mode), openClient(proxy.url, mode)]);
    const drawn = await Promise.all(clients.map(({ ids }) => draw(ids, 25)));
    for (const { ids } of clients) await ids.close();
    expect(drawn.flatMap(({ errors }) => errors)).toEqual([]);
    expect(new Set(drawn.flatMap(({ ids }) => ids)).size).toBe(2 * 4 * 25 * 3);
  });
});
