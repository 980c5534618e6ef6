import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from '../src/access.js';
import { createIdsHandler } from '../src/handler.js';
import { beside, page } from '../src/process/beside.js';
import { listen } from '../src/process/listener.js';
import { forThisMachine } from '../src/process/loopback.js';
import { probesOf } from '../src/process/probes.js';
import { newToken } from './support/tokens.js';

// docs/http-security.md names this file.

async function open(clients?: readonly Client[]) {
  const source = new MemorySegmentSource({ order: {} });
  const { realm } = await source.describe('order');
  const generator = await createSegmentInprocGenerator({ name: 'order', source });
  onTestFinished(() => generator.close());
  const generators = { order: { generator, realm } };
  const handler = createIdsHandler({ generators, clients });
  const send = (body: BodyInit, headers: HeadersInit = { 'content-type': 'application/json' }) =>
    handler(
      new Request('http://ids/v1/ids', { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
    );
  const issued = () => generator.counters?.().idsIssued;
  return { generator, generators, handler, send, issued };
}

const CALL = '{"calls":[{"generator":"order"}]}';

describe('a body', () => {
  it.each([
    ['a hundred thousand arrays deep', `{"calls":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a hundred thousand objects deep', `${'{"calls":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['with too many calls', `{"calls":[${new Array(1_001).fill('{"generator":"order"}').join()}]}`],
    ['with a count beyond all numbers', '{"calls":[{"generator":"order","count":1e400}]}'],
    ['with a count as text', '{"calls":[{"generator":"order","count":"9"}]}'],
    ['that is compressed', gzipSync(CALL)],
    ['with a line break in its nonce', '{"nonce":"a\\r\\nset-cookie: a=b","calls":[{"generator":"order"}]}'],
  ])('%s is refused, and takes nothing', async (_, body) => {
    const { send, issued } = await open();
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(issued()).toBe(0);
  });

  it('without an end is refused at the limit', async () => {
    const { send, issued } = await open();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    expect((await send(endless)).status).toBe(413);
    expect(sent).toBeLessThan(2 * 1_048_576);
    expect(issued()).toBe(0);
  });

  it('that comes in chunks is measured, whatever length its headers claim', async () => {
    const { send, issued } = await open();
    const headers = {
      'content-type': 'application/json',
      'content-length': '1',
      'transfer-encoding': 'chunked',
    };
    expect((await send(CALL.padEnd(1_048_577), headers)).status).toBe(413);
    expect(issued()).toBe(0);
  });

  it('with __proto__ and constructor changes no object, and is no shorter way to more ids', async () => {
    const { send, issued } = await open();
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await send(`{"calls":[{"generator":"${name}"}]}`)).status).toBe(404);
    const more = '"__proto__":{"count":50,"isAdmin":true}';
    await send(`{"calls":[{"generator":"order",${more}}],${more}}`);
    await send(`{"calls":[{"generator":"order","constructor":{"prototype":{"count":50}}}]}`);
    expect(issued()).toBeLessThanOrEqual(1);
    expect(Object(0).isAdmin).toBeUndefined();
    expect(Object(0).count).toBeUndefined();
  });
});

describe('a website in a browser of this machine', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'cannot take ids without a preflight: %s',
    async (type) => {
      const { send, issued } = await open();
      const blob = new Blob([CALL]);
      const response = await send(blob, type === '' ? {} : { 'content-type': type });
      expect(response.status).toBe(400);
      expect(issued()).toBe(0);
    },
  );

  it('gets no permission from a preflight, and reads no answer', async () => {
    const { handler } = await open();
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET']) {
      const { headers: answered } = await handler(
        new Request('http://ids/v1/generators', { method, headers }),
      );
      expect([...answered.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('may ask and read answers if its origin is allowed, and no other one may', async () => {
    const { generators, issued } = await open();
    const clients = [{ name: 'shop', tokens: [newToken().hash], rights: ['issue'] as const }];
    const handler = createIdsHandler({ generators, clients, allowedOrigins: ['https://shop.example'] });
    const ask = async (method: string, origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const response = await handler(new Request('http://ids/v1/ids', { method, headers }));
      expect(response.headers.get('cache-control')).toBe('no-store');
      return [response.status, response.headers.get('access-control-allow-origin')];
    };
    expect(await ask('OPTIONS', 'https://shop.example')).toEqual([204, 'https://shop.example']);
    expect(await ask('POST', 'https://shop.example')).toEqual([401, 'https://shop.example']);
    for (const origin of ['https://evil.example', 'https://shop.example.evil', 'http://shop.example', 'null'])
      expect((await ask('OPTIONS', origin))[1]).toBeNull();
    expect(issued()).toBe(0);
    for (const wrong of ['*', 'https://shop.example/', 'shop.example', 'null'])
      expect(() => createIdsHandler({ generators, allowedOrigins: [wrong] })).toThrow(
        /allowedOrigins: must have/,
      );
  });

  it('cannot use a name of its own that resolves to this machine, for any path', async () => {
    const { handler } = await open();
    const guarded = forThisMachine(beside(handler, page));
    for (const path of ['/', '/v1/ids', '/v1/status', '/v1/openapi.json', '/metrics'])
      expect((await guarded(new Request(`http://rebound.example.com${path}`))).status).toBe(403);
    expect((await guarded(new Request('http://127.0.0.1/'))).status).toBe(200);
  });
});

describe('without a token', () => {
  it.each([
    '/v1/generators',
    '/v1/generators/',
    '//v1/generators',
    '/v1//generators',
    '/V1/GENERATORS',
    '/v1/generator%73',
    '/v1/openapi.json/../generators',
    '/v1/openapi.json%2F../generators',
    '/v1/openapi.json;/generators',
    '/v1/status?name=order',
    '/v1/generators?authorization=Bearer%20x&access_token=x',
  ])('no spelling of a path shows a generator: %s', async (path) => {
    const { handler } = await open([{ name: 'shop', tokens: [newToken().hash], rights: ['issue'] }]);
    const headers = { 'x-original-url': '/v1/openapi.json', 'x-http-method-override': 'GET' };
    const response = await handler(new Request(`http://ids${path}`, { headers }));
    expect([401, 404]).toContain(response.status);
    expect(await response.text()).not.toContain('segment-inproc');
  });

  it('a wrong token is answered as none is, so that guesses learn nothing', async () => {
    const { handler } = await open([{ name: 'shop', tokens: [newToken().hash], rights: ['issue'] }]);
    const answers = ['', 'Bearer ', `Bearer ${newToken().token}`, `Basic ${newToken().token}`].map(
      async (authorization) => {
        const response = await handler(
          new Request('http://ids/v1/generators', { headers: { authorization } }),
        );
        return JSON.stringify([response.status, [...response.headers], await response.text()]);
      },
    );
    expect(new Set(await Promise.all(answers)).size).toBe(1);
  });

  it('a flood of probes asks generators once', async () => {
    const { generators, generator, handler } = await open();
    let asked = 0;
    let answer = (): void => undefined;
    generator.ready = () => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const probed = beside(handler, probesOf(generators));
    const flood = Array.from({ length: 100 }, () => probed(new Request('http://ids/readyz')));
    answer();
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(asked).toBe(1);
  });
});

describe('a connection', () => {
  /** What a server answers to `text` until it closes the connection. */
  async function exchange(text: string, limits: object): Promise<string> {
    const { handler } = await open();
    const listener = await listen(handler, { host: '127.0.0.1', port: 0, limits });
    onTestFinished(async () => void (await listener.drain(0, async () => undefined)));
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let answered = '';
    socket.on('data', (chunk) => {
      answered += chunk;
    });
    socket.write(text);
    await once(socket, 'close');
    return answered;
  }
  const short = { headersMs: 200, requestMs: 400, checkMs: 50, idleMs: 60_000 };
  const POST = 'POST /v1/ids HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

  it.each([
    ['sends nothing', ''],
    ['never ends its headers', `${POST}X-Slow: 1\r\n`],
    ['never ends its body', `${POST}Content-Length: 100\r\n\r\n{"calls":`],
    ['never ends its chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"cal\r\n`],
  ])('that %s is closed', async (_, text) => {
    expect(await exchange(text, short)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it.each([
    ['a length and chunks', `${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${POST}Content-Length: 4\r\nContent-Length: 40\r\n\r\n{}{}`],
    ['a line break in a header', `${POST}X-A: b\n\rContent-Length: 0\r\n\r\n`],
    ['headers of 20,000 bytes', `${POST}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('whose request has %s gets an error and is closed', async (_, text) => {
    expect(await exchange(text, {})).toMatch(/^HTTP\/1\.1 4\d\d (?!.*200 OK)/s);
  });

  it('beyond the limit is closed at once, and those before it go on', async () => {
    const { handler } = await open();
    const listener = await listen(handler, { host: '127.0.0.1', port: 0, limits: { connections: 2 } });
    const port = Number(new URL(listener.url).port);
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    for (const socket of sockets) await once(socket, 'connect');
    const third = connect(port, '127.0.0.1');
    await once(third, 'close');
    sockets[0]?.write('GET /v1/generators HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const [answer] = await once(sockets[0] as NonNullable<(typeof sockets)[0]>, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
    await listener.drain(0, async () => undefined);
  });
});
