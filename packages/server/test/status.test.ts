import { IdError } from '@ids/core';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, it, onTestFinished } from 'vitest';
import type { Client } from '../src/access.js';
import { createIdsHandler } from '../src/handler.js';
import type { Status } from '../src/status-schema.js';
import { newToken } from './support/tokens.js';

/** Fails while `failing` is set. */
class Source extends MemorySegmentSource {
  failing = false;

  override async reserve(...args: Parameters<MemorySegmentSource['reserve']>) {
    if (this.failing) throw new IdError('ERR_IDS_UNAVAILABLE', 'connection to secret-host refused');
    return super.reserve(...args);
  }
}

async function open(clients?: readonly Client[]) {
  const source = new Source({ order: {}, ticket: {} });
  const generators = Object.fromEntries(
    await Promise.all(
      ['order', 'ticket'].map(async (name) => {
        const options = { name, source, deadlineMs: 50, minStep: 10, maxStep: 10 };
        const generator = await createSegmentInprocGenerator(options);
        onTestFinished(() => generator.close());
        const { realm } = await source.describe(name);
        return [name, { generator, realm, lease: { source, sequence: name } }] as const;
      }),
    ),
  );
  const handler = createIdsHandler({ generators, clients });
  const ask = (path: string, token?: string, body?: object) =>
    handler(
      new Request(`http://ids/v1${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }),
    );
  const issue = (count = 1, token?: string) => ask('/ids', token, { calls: [{ generator: 'order', count }] });
  const status = async (token?: string) => (await (await ask('/status', token)).json()) as Status;
  const order = async () => (await status()).generators[0] as Status['generators'][number];
  return { source, ask, issue, status, order };
}

it('says what each generator gave, to whom, and at which rate', async () => {
  const { token, hash } = newToken();
  const { ask, issue, status } = await open([{ name: 'shop', tokens: [hash], rights: ['issue', 'lease'] }]);
  await issue(3, token);
  await issue(2, token);
  const leased = await ask('/leases', token, { generator: 'order', size: 50 });
  const { low, high } = (await leased.json()) as { low: number; high: number };
  const { generators } = await status(token);
  const [order, ticket] = generators;
  expect(order).toMatchObject({
    name: 'order',
    strategy: 'segment-inproc',
    keyed: false,
    issued: 5,
    leased: 50,
  });
  expect(order?.health).toMatchObject({ status: 'ok', remaining: (order?.refills ?? 0) * 10 - 5 });
  expect(order?.clients).toMatchObject([{ name: 'shop', issued: 5, leased: 50, range: { low, high } }]);
  const total = (values: readonly number[] = []) => values.reduce((sum, value) => sum + value, 0);
  expect(total(order?.recent.ids)).toBe(55);
  expect(total(order?.recent.refills)).toBe(order?.refills);
  expect(order?.recent.idsPerSecond).toBeGreaterThan(0);
  expect(ticket).toMatchObject({
    issued: 0,
    leased: 0,
    clients: [],
    failures: [],
    recent: { idsPerSecond: 0 },
  });
});

it('says what fails and since when, until it works again, and names no backend', async () => {
  const { source, ask, issue, order } = await open();
  source.failing = true;
  for (let call = 0; call < 2; call++) {
    const response = await issue();
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('secret-host');
  }
  const { trouble, failures, health } = await order();
  expect(health.status).toBe('down');
  expect(failures).toEqual([{ code: 'ERR_IDS_UNAVAILABLE', calls: 2 }]);
  expect(trouble).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', calls: 2 });
  expect(new Date(trouble?.since ?? 0) < new Date(trouble?.at ?? 0)).toBe(true);
  expect(await (await ask('/status')).text()).not.toContain('secret-host');

  source.failing = false;
  await expect.poll(async () => (await issue()).status).toBe(200);
  const after = await order();
  expect(after.trouble).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', since: trouble?.since });
  expect(after.trouble?.until).toBeDefined();
});

it('takes clients that give up, or ask for what they may not, for no trouble of a generator', async () => {
  const { source, ask, order } = await open();
  const reserve = source.reserve.bind(source);
  // Does not answer while the client waits.
  source.reserve = async (...args) => {
    await new Promise((resolve) => args[2]?.signal?.addEventListener('abort', resolve));
    return reserve(...args);
  };
  const short = await ask('/ids', undefined, { timeoutMs: 5, calls: [{ generator: 'order' }] });
  expect(short.status).toBe(504);
  expect((await order()).failures).toEqual([{ code: 'ERR_IDS_TIMEOUT', calls: 1 }]);
  source.reserve = reserve;
  const lease = { generator: 'order', size: 5 };
  expect((await ask('/leases', undefined, { ...lease, floor: 9 })).status).toBe(403);
  expect((await ask('/leases', undefined, { ...lease, expectedMaxId: 900 })).status).toBe(409);
  const { failures, trouble } = await order();
  expect(failures).toHaveLength(1);
  expect(trouble).toBeUndefined();
});

it('takes a wrong request for no failure of a generator', async () => {
  const { ask, order } = await open();
  expect((await ask('/ids', undefined, { calls: [{ generator: 'order', key: 'a' }] })).status).toBe(400);
  expect(await order()).toMatchObject({ failures: [], clients: [] });
  expect((await order()).trouble).toBeUndefined();
});

it('has only the generators that a client may use', async () => {
  const { token, hash } = newToken();
  const { ask, status } = await open([
    { name: 'shop', tokens: [hash], rights: ['read'], generators: ['ticket'] },
  ]);
  expect((await status(token)).generators.map(({ name }) => name)).toEqual(['ticket']);
  expect((await ask('/status')).status).toBe(401);
});
