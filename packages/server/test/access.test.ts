import { createHash } from 'node:crypto';
import { createHttpGenerator, HttpSegmentSource, RefusedError } from '@ids/http';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Access, type Client } from '../src/access.js';
import { createIdsHandler } from '../src/handler.js';
import type { Limits } from '../src/limits.js';
import { listen } from '../src/process/listener.js';
import { Quota } from '../src/quota.js';
import type { RequestReport } from '../src/request-report.js';
import type { ServedGenerator } from '../src/served.js';
import { newToken } from './support/tokens.js';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function served(name: string, Source = MemorySegmentSource): Promise<ServedGenerator> {
  const source = new Source({ [name]: {} });
  const { realm } = await source.describe(name);
  const generator = await createSegmentInprocGenerator({ name, source });
  opened.push(generator);
  return { generator, realm, lease: { source, sequence: name } };
}

/** A handler of the generators `order` and `ticket`. */
async function handle(clients?: readonly Client[], limits?: Partial<Limits>, Source = MemorySegmentSource) {
  const reports: RequestReport[] = [];
  const handler = createIdsHandler({
    generators: { order: await served('order', Source), ticket: await served('ticket') },
    clients,
    limits,
    onRequest: (report) => reports.push(report),
  });
  const post = (path: string, body: unknown, token?: string) =>
    handler(
      new Request(`http://ids/v1${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const issue = (generator: string, token?: string, count = 1) =>
    post('/ids', { calls: [{ generator, count }] }, token);
  const lease = (body: object, token?: string) =>
    post('/leases', { generator: 'order', size: 10, ...body }, token);
  return { handler, reports, post, issue, lease };
}

async function problemIn(response: Response): Promise<{ status: number; code: unknown; detail: unknown }> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const { code, detail, status } = (await response.json()) as Record<string, unknown>;
  expect(status).toBe(response.status);
  return { status: response.status, code, detail };
}

const [first, second, stranger] = [newToken(), newToken(), newToken()];
const client = (more: Partial<Client> = {}): Client => ({
  name: 'shop',
  tokens: [first.hash, second.hash],
  rights: ['issue'],
  ...more,
});

describe('tokens', () => {
  it('each token of a client is accepted, and the report names the client', async () => {
    const { issue, reports } = await handle([client()]);
    for (const { token } of [first, second]) expect((await issue('order', token)).status).toBe(200);
    expect(reports.map((report) => report.client)).toEqual(['shop', 'shop']);
    expect(JSON.stringify(reports)).not.toContain(first.token);
  });

  it('no token, a wrong one, the hash of one, and an empty one are refused with 401', async () => {
    const { issue, handler } = await handle([client()]);
    for (const token of [undefined, stranger.token, first.hash, '']) {
      const response = await issue('order', token);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await problemIn(response)).toMatchObject({ status: 401, code: 'ERR_IDS_CONFIG' });
    }
    const inUrl = await handler(new Request(`http://ids/v1/generators?token=${first.token}`));
    expect(inUrl.status).toBe(401);
  });

  it('the hash of the empty string lets nobody in without a token', async () => {
    const hash = createHash('sha256').update('').digest('hex');
    const { issue } = await handle([client({ tokens: [hash] })]);
    expect((await issue('order')).status).toBe(401);
  });

  it('a token in place of its hash is refused at the start, and not shown', async () => {
    const handler = handle([client({ tokens: [first.token] })]);
    await expect(handler).rejects.toThrow(/client "shop": "tokens" must have the SHA-256 hash/);
    await expect(handler).rejects.not.toThrow(first.token);
  });
});

describe('rights', () => {
  it('a client without a right is refused with 403, whether the generator exists or not', async () => {
    const { issue, lease } = await handle([client({ generators: ['order'] })]);
    for (const name of ['ticket', 'nothing', 'constructor'])
      expect(await problemIn(await issue(name, first.token))).toMatchObject({ status: 403 });
    expect(await problemIn(await lease({}, first.token))).toMatchObject({
      status: 403,
      detail: 'this client has no right "lease" for generator "order"',
    });
  });

  it('a call without a right fails the whole request, and nothing is issued', async () => {
    const { post, issue } = await handle([client({ generators: ['order'] })]);
    const calls = [{ generator: 'order' }, { generator: 'ticket' }];
    expect((await post('/ids', { calls }, first.token)).status).toBe(403);
    const { results } = (await (await issue('order', first.token)).json()) as { results: unknown };
    expect(results).toMatchObject([{ ids: ['1'] }]);
  });

  it('whatever is read is of a generator that the client may use', async () => {
    const { handler } = await handle([client({ generators: ['order'], rights: ['read'] })]);
    const headers = { authorization: `Bearer ${first.token}` };
    for (const path of ['generators', 'sequences', 'highest', 'provenance']) {
      const ask = (name: string) => handler(new Request(`http://ids/v1/${path}?name=${name}`, { headers }));
      expect((await ask('ticket')).status, path).toBe(403);
      expect((await ask('order')).status, path).not.toBe(403);
    }
  });

  it('a list has only the generators that a client may use', async () => {
    const { handler } = await handle([client({ generators: ['ticket'], rights: ['read'] })]);
    const headers = { authorization: `Bearer ${first.token}` };
    const response = await handler(new Request('http://ids/v1/generators', { headers }));
    expect(await response.json()).toMatchObject({
      generators: [{ name: 'ticket', maxIdsPerLease: 1_000_000 }],
    });
  });
});

describe('floors', () => {
  it('need a right of their own, also where there are no tokens', async () => {
    const { lease } = await handle([client({ rights: ['lease'] })]);
    expect(await problemIn(await lease({ floor: 5 }, first.token))).toMatchObject({
      status: 403,
      code: 'ERR_IDS_REGRESSED',
    });
    const open = await handle();
    expect(await problemIn(await open.lease({ floor: 5 }))).toMatchObject({ status: 403 });
    expect(await (await open.lease({})).json()).toMatchObject({ low: 1, high: 10 });
  });

  it('beyond the limit of a jump are refused, and raise nothing', async () => {
    const { lease } = await handle([client({ rights: ['lease', 'floor'] })], { floorJump: 100 });
    expect(await (await lease({ floor: 100 }, first.token)).json()).toMatchObject({ low: 101, high: 110 });
    const refused = await problemIn(await lease({ floor: 211 }, first.token));
    expect(refused).toMatchObject({ status: 409, code: 'ERR_IDS_REGRESSED' });
    expect(await (await lease({}, first.token)).json()).toMatchObject({ low: 111, high: 120 });
  });

  it('count for the quota with all that they skip', async () => {
    const clients = [client({ rights: ['lease', 'floor'], idsPerMinute: 1_000 })];
    const { lease } = await handle(clients);
    expect((await lease({ floor: 980 }, first.token)).status).toBe(200);
    expect((await lease({ size: 100 }, first.token)).status).toBe(429);
  });
});

describe('quotas', () => {
  it('are of a client over all tokens and ways, and say when to come again', async () => {
    const { issue, lease } = await handle([client({ rights: ['issue', 'lease'], idsPerMinute: 100 })]);
    expect((await issue('order', first.token, 60)).status).toBe(200);
    expect((await lease({ size: 30 }, second.token)).status).toBe(200);
    const response = await issue('ticket', first.token, 40);
    // 30 ids more than are left, at 100 per minute, which go on while the test runs.
    const seconds = Number(response.headers.get('retry-after'));
    expect(Number.isInteger(seconds) && seconds > 0 && seconds <= 18, `Retry-After: ${seconds}`).toBe(true);
    expect(await problemIn(response)).toMatchObject({ status: 429, code: 'ERR_IDS_UNAVAILABLE' });
  });

  it('are not used up by calls that fail', async () => {
    const { post, issue } = await handle([client({ idsPerMinute: 100 })]);
    for (let call = 0; call < 3; call++) {
      const failed = await post(
        '/ids',
        { calls: [{ generator: 'order', count: 90, key: 'a' }] },
        first.token,
      );
      expect(failed.status).toBe(400);
    }
    expect((await issue('order', first.token, 90)).status).toBe(200);
  });

  /** Reserves, and its answer comes too late. */
  class LateSource extends MemorySegmentSource {
    override async reserve(...[name, size, options]: Parameters<MemorySegmentSource['reserve']>) {
      await super.reserve(name, size, options);
      return new Promise<never>((_, reject) =>
        options?.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
      );
    }
  }

  it('are used up by what may have been taken: the client does not wait for long enough', async () => {
    const clients = [client({ rights: ['issue', 'lease'], idsPerMinute: 100 })];
    const { post, lease } = await handle(clients, {}, LateSource);
    const short = { timeoutMs: 20 };
    expect((await lease({ size: 50, ...short }, first.token)).status).toBe(504);
    const calls = [{ generator: 'order', count: 50 }];
    expect((await post('/ids', { calls, ...short }, first.token)).status).toBe(504);
    expect((await lease({ size: 90 }, first.token)).status).toBe(429);
  });

  it('are used up by a client that goes away, whose requests are reported as any other', async () => {
    const clients = [client({ rights: ['issue', 'lease'], idsPerMinute: 100 })];
    const { handler, lease, reports } = await handle(clients, {}, LateSource);
    const listener = await listen(handler, { host: '127.0.0.1', port: 0 });
    opened.push({ close: async () => void (await listener.drain(0, async () => undefined)) });
    const bodies = {
      ids: { calls: [{ generator: 'order', count: 50 }] },
      leases: { generator: 'order', size: 50 },
    };
    const charged = vi.spyOn(Quota.prototype, 'take');
    onTestFinished(() => charged.mockRestore());
    for (const [path, body] of Object.entries(bodies)) {
      charged.mockClear();
      const away = new AbortController();
      const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
      const request = {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: away.signal,
      };
      const answer = fetch(`${listener.url}/v1/${path}`, request);
      await Promise.all([
        expect(answer).rejects.toMatchObject({ name: 'AbortError' }),
        vi.waitUntil(() => charged.mock.calls.length > 0, 20_000).then(() => away.abort()),
      ]);
    }
    await expect
      .poll(() => reports)
      .toMatchObject(['ids', 'leases'].map(() => ({ client: 'shop', status: 504 })));
    expect((await lease({ size: 90 }, first.token)).status).toBe(429);
  });

  it('never let more than a minute through at once', async () => {
    const { issue } = await handle([client({ idsPerMinute: 100 })]);
    expect((await issue('order', first.token, 101)).status).toBe(400);
  });
});

it('clients are replaced while they are used: what was taken still counts', async () => {
  const access = new Access([
    client({ idsPerMinute: 100 }),
    client({ name: 'old', tokens: [stranger.hash] }),
  ]);
  const visit = (token: string) => access.visitor(`Bearer ${token}`);
  (await visit(first.token)).charge(80);
  access.replace([client({ tokens: [second.hash], idsPerMinute: 100 })]);
  await expect(visit(first.token)).rejects.toMatchObject({ status: 401 });
  await expect(visit(stranger.token)).rejects.toMatchObject({ status: 401 });
  const visitor = await visit(second.token);
  expect(() => visitor.charge(80)).toThrow(/may take 100 ids per minute/);
  expect(() => access.replace([client({ tokens: [] })])).toThrow(TypeError);
  expect((await visit(second.token)).name).toBe('shop');
  access.replace([client({ idsPerMinute: 200 })]);
  (await visit(first.token)).charge(200);
});

describe('limits', () => {
  it('of the body, of the ids of a request and of a lease', async () => {
    const limits = { bodyBytes: 1_000, idsPerRequest: 50, idsPerLease: 20 };
    const { post, lease } = await handle(undefined, limits);
    const long = { calls: [{ generator: 'order' }], nonce: 'n'.repeat(2_000) };
    expect(await problemIn(await post('/ids', long))).toMatchObject({ status: 413 });
    const many = {
      calls: [
        { generator: 'order', count: 30 },
        { generator: 'ticket', count: 21 },
      ],
    };
    expect(await problemIn(await post('/ids', many))).toMatchObject({ status: 400 });
    expect(await problemIn(await lease({ size: 21 }))).toMatchObject({ status: 400 });
  });

  it('of requests at the same time: more are refused with 503 and Retry-After', async () => {
    const { post, issue } = await handle(undefined, { concurrentRequests: 2 });
    const body = { calls: [{ generator: 'order' }] };
    const responses = await Promise.all([post('/ids', body), post('/ids', body), post('/ids', body)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(responses[2]?.headers.get('retry-after')).toBe('1');
    expect((await issue('order')).status).toBe(200);
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no calls', { calls: [] }],
    ['a misspelt member', { calls: [{ generator: 'order', cuont: 5 }] }],
    ['a count of 0', { calls: [{ generator: 'order', count: 0 }] }],
    ['a count of 1.5', { calls: [{ generator: 'order', count: 1.5 }] }],
    ['half a character in a key', { calls: [{ generator: 'order', key: '\ud800' }] }],
    ['a long key', { calls: [{ generator: 'order', key: 'é'.repeat(128) }] }],
    ['a nonce with other characters', { nonce: 'a b', calls: [{ generator: 'order' }] }],
  ])('%s is refused with 400', async (_, body) => {
    const { post } = await handle();
    expect(await problemIn(await post('/ids', body))).toMatchObject({ status: 400, code: 'ERR_IDS_CONFIG' });
  });

  it.each([
    ['idsPerRequest', 1_000_001],
    ['floorJump', 0],
    ['concurrentRequests', 1.5],
  ] as const)('a limit "%s" of %s is refused', async (name, value) => {
    await expect(handle(undefined, { [name]: value })).rejects.toThrow(
      new RegExp(`limits\\.${name}: must be a whole number from 1 to \\d+, got ${value}`),
    );
  });
});

describe('a client of @ids/http', () => {
  it('gets what it may, and errors that say what is missing', async () => {
    const { handler } = await handle([client({ generators: ['order'] })]);
    const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
    const options = { url: 'http://ids', fetch, token: first.token };
    const ids = await createHttpGenerator({ ...options, name: 'order' });
    opened.push(ids);
    expect(await ids.nextBatch(2)).toEqual([1, 2]);
    await expect(createHttpGenerator({ ...options, name: 'ticket' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      status: 403,
    });
    await expect(createHttpGenerator({ ...options, name: 'order', token: 'none' })).rejects.toThrow(
      /a valid token is needed/,
    );
    const source = new HttpSegmentSource(options);
    await expect(source.reserve('order', 5)).rejects.toThrow(RefusedError);
  });

  it('of one turn, serves as many calls as the quota allows, and the others as it fills again', async () => {
    const { handler } = await handle([client({ idsPerMinute: 6_000 })]);
    const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
    const ids = await createHttpGenerator({ url: 'http://ids', fetch, token: first.token, name: 'order' });
    opened.push(ids);
    const drawn = await Promise.all(Array.from({ length: 6_001 }, () => ids.next()));
    expect(new Set(drawn).size).toBe(6_001);
  });

  it('asks nothing before the time that a server asked for, and settles every call', async () => {
    const { handler, reports } = await handle([client({ idsPerMinute: 60 })]);
    const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
    const ids = await createHttpGenerator({
      url: 'http://ids',
      fetch,
      token: first.token,
      name: 'order',
      deadlineMs: 300,
    });
    opened.push(ids);
    expect(await ids.nextBatch(60)).toHaveLength(60);
    const settled = await Promise.allSettled([ids.nextBatch(30), ids.next()]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ids.next()).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    expect(reports.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(ids.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_UNAVAILABLE' } });
  });
});
