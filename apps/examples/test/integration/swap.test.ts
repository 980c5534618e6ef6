import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type OrderService, startOrderService } from '../../src/order-service.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const table = uniqueName('swap');
const keyPrefix = `${table}:`;

/** What an id looks like, so that a swap that did not happen is noticed. */
const looks = {
  objectid: /^[0-9a-f]{24}$/,
  gpid: /^127\.0\.0\.1:8080:/,
  'segment-inproc': /^[1-9][0-9]*$/,
  'segment-redis-db': /^[1-9][0-9]*$/,
};

/** The generator's part of the config file, for each strategy. Nothing else changes. */
const orders = {
  objectid: { strategy: 'objectid' },
  gpid: { strategy: 'gpid', port: 8080, address: '127.0.0.1' },
  'segment-inproc': { strategy: 'segment-inproc', table },
  'segment-redis-db': { strategy: 'segment-redis-db', table, keyPrefix },
};

beforeAll(async () => {
  const executor = await fromPgUrl(database);
  await ensureSchema(executor, { table });
  await createSequence(executor, 'order', { table });
  await executor.close();
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Starts the service as a new deployment: in a folder of its own, since a process reads its config once. */
async function serveWith(order: object): Promise<OrderService> {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-swap-'));
  folders.push(cwd);
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ redis, database, generators: { order } }));
  return startOrderService({ cwd, environment: {} });
}

async function makeOrders({ server }: OrderService, count: number): Promise<string[]> {
  const { port } = server.address() as AddressInfo;
  const post = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST' });
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: string };
    return id;
  };
  return Promise.all(Array.from({ length: count }, post));
}

function repeated(ids: readonly string[]): string[] {
  const sorted = ids.toSorted();
  return sorted.filter((id, index) => id === sorted[index - 1]);
}

describe('a service that asks for order ids', () => {
  it('runs with each strategy, and through swaps between them, by a change of its config file only', async () => {
    const all: string[] = [];
    const strategies = Object.keys(orders) as (keyof typeof orders)[];
    for (const strategy of [...strategies, ...strategies.toReversed()]) {
      await using service = await serveWith(orders[strategy]);
      const ids = await makeOrders(service, 100);
      for (const id of ids) expect(id).toMatch(looks[strategy]);
      all.push(...ids);
    }
    expect(all).toHaveLength(800);
    expect(repeated(all)).toEqual([]);
  });

  it('is told at start when a swap would break what it needs', async () => {
    const require = { order: { cluster: 'real-time' }, type: 'number' };
    await using service = await serveWith({ ...orders['segment-redis-db'], require });
    expect(await makeOrders(service, 1)).toHaveLength(1);
    await expect(serveWith({ ...orders.objectid, require })).rejects.toMatchObject({
      code: 'ERR_IDS_UNMET',
      message:
        'generators.order: objectid does not fit: order across processes: needs real-time, offers k-sorted; ' +
        'id type: needs number, offers string. Would fit: segment-redis-db',
    });
  });
});
