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

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-swap-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function serveWith(order: object): Promise<OrderService> {
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
    for (const order of [...Object.values(orders), ...Object.values(orders).reverse()]) {
      await using service = await serveWith(order);
      all.push(...(await makeOrders(service, 100)));
    }
    expect(all).toHaveLength(800);
    expect(repeated(all)).toEqual([]);
  });

  it('goes on with the same sequence when its ids move from process memory to Redis and back', async () => {
    const highest: number[] = [];
    for (const strategy of ['segment-inproc', 'segment-redis-db', 'segment-inproc'] as const) {
      await using service = await serveWith(orders[strategy]);
      const ids = (await makeOrders(service, 50)).map(Number);
      expect(Math.min(...ids)).toBeGreaterThan(highest.at(-1) ?? 0);
      highest.push(Math.max(...ids));
    }
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
