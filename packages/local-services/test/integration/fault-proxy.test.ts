import { type EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { startFaultProxy, startRedis } from '../../src/index.js';
import { pgClient, redisClient } from './connections.js';

/** A server that upper-cases what it is sent and records it. */
async function shout() {
  let received = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      socket.write(String(chunk).toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return { target: { host: '127.0.0.1', port }, received: () => received, sockets, close };
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Like once(), which however rejects at an 'error' event that comes before. */
function seen(emitter: EventEmitter, event: string): Promise<void> {
  return new Promise((resolve) => emitter.once(event, () => resolve()));
}

describe('startFaultProxy', () => {
  it('passes requests and replies and counts live connections', async () => {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    const client = redisClient(proxy.url('redis'));
    await client.set('k', 'v'.repeat(5_000_000));
    expect(await client.strlen('k')).toBe(5_000_000);
    expect((await client.get('k'))?.length).toBe(5_000_000);
    expect(proxy.connections).toBe(1);
    const closed = once(client, 'end');
    await client.quit();
    await closed;
    await expect.poll(() => proxy.connections).toBe(0);
  });

  it('rewrites a URL, credentials and path kept', async () => {
    await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: 1 } });
    expect(proxy.url('redis')).toBe(`redis://127.0.0.1:${proxy.port}`);
    expect(proxy.url('postgres://u:p@db.example:5432/orders')).toBe(
      `postgres://u:p@127.0.0.1:${proxy.port}/orders`,
    );
  });

  faultTest('cuts live connections and lets new ones through', async () => {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    const client = redisClient(proxy.url('redis'));
    await client.ping();
    const ended = injectFault(() => seen(client, 'end'));
    await injectFault(() => proxy.cut());
    await ended;
    await expect(client.ping()).rejects.toThrow('Connection is closed');
    expect(await redisClient(proxy.url('redis')).ping()).toBe('PONG');
  });

  faultTest('holds everything in a black hole and delivers it afterwards, in order', async () => {
    const server = await shout();
    await using proxy = await startFaultProxy({ target: server.target });
    const socket = await dial(proxy.port);
    socket.write('a');
    expect(String((await once(socket, 'data'))[0])).toBe('A');
    await injectFault(() => proxy.setMode('blackhole'));
    const second = await dial(proxy.port);
    socket.write('b');
    second.write('x');
    // A way around the proxy proves that the server is idle and not merely slow.
    const direct = await dial(server.target.port);
    direct.write('d');
    await once(direct, 'data');
    expect(server.received()).toBe('ad');
    expect(server.sockets.size).toBe(2);
    const replies = [once(socket, 'data'), once(second, 'data')];
    await proxy.setMode('pass');
    expect((await Promise.all(replies)).map(([chunk]) => String(chunk))).toEqual(['B', 'X']);
  });

  faultTest('holds in a black hole also what was on its way', async () => {
    const [server, other] = await Promise.all([shout(), shout()]);
    await using proxy = await startFaultProxy({ target: server.target });
    await using clock = await startFaultProxy({ target: other.target });
    const [socket, tick] = await Promise.all([dial(proxy.port), dial(clock.port)]);
    socket.write('o');
    await once(socket, 'data');
    proxy.delay(20);
    clock.delay(20);
    await new Promise((resolve) => socket.write('a', resolve));
    await new Promise(setImmediate);
    await injectFault(() => proxy.setMode('blackhole'));
    // A later message, under way for twice as long.
    tick.write('t');
    await once(tick, 'data');
    expect(server.received()).toBe('o');
    await proxy.setMode('pass');
    expect(String((await once(socket, 'data'))[0])).toBe('A');
  });

  faultTest('makes a sender feel a black hole once the buffers are full', async () => {
    const [server, other] = await Promise.all([shout(), shout()]);
    await using proxy = await startFaultProxy({ target: server.target });
    await using clock = await startFaultProxy({ target: other.target });
    const [socket, tick] = await Promise.all([dial(proxy.port), dial(clock.port)]);
    socket.resume();
    await injectFault(() => proxy.setMode('blackhole'));
    const size = 64 << 20;
    const drained = once(socket, 'drain');
    socket.write(Buffer.alloc(size, 'a'));
    clock.delay(5);
    for (let i = 0; i < 30; i++) {
      tick.write('t');
      await Promise.race([once(tick, 'data'), drained]);
    }
    expect(socket.writableLength).toBe(size);
    await proxy.setMode('pass');
    await drained;
  });

  faultTest('hides in a black hole that the target is gone', async () => {
    const [server, other] = await Promise.all([shout(), shout()]);
    await using proxy = await startFaultProxy({ target: server.target });
    await using clear = await startFaultProxy({ target: server.target });
    const [witness, tick] = await Promise.all([dial(clear.port), dial(other.target.port)]);
    witness.write('w');
    await once(witness, 'data');
    const socket = await dial(proxy.port);
    socket.write('a');
    await once(socket, 'data');
    await injectFault(() => proxy.setMode('blackhole'));
    const newcomer = await dial(proxy.port);
    const closes = [seen(socket, 'close'), seen(newcomer, 'close')];
    const witnessed = seen(witness, 'close');
    server.close();
    // Whoever is not in the black hole has noticed, and a round trip later still only they have.
    await witnessed;
    tick.write('t');
    await once(tick, 'data');
    expect([socket.destroyed, newcomer.destroyed]).toEqual([false, false]);
    expect(proxy.connections).toBe(2);
    await proxy.setMode('pass');
    await Promise.all(closes);
  });

  faultTest('refuses new connections only, and stops refusing on the same port', async () => {
    const server = await shout();
    await using proxy = await startFaultProxy({ target: server.target });
    const { port } = proxy;
    const socket = await dial(port);
    await injectFault(() => proxy.setMode('refuse'));
    const refused = connect(port, '127.0.0.1');
    onTestFinished(() => void refused.destroy());
    const error = await once(refused, 'connect').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    socket.write('a');
    expect(String((await once(socket, 'data'))[0])).toBe('A');
    await proxy.setMode('pass');
    expect(proxy.port).toBe(port);
    await dial(port);
  });

  faultTest('swallows replies while the commands are carried out', async () => {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    const client = redisClient(proxy.url('redis'));
    await client.ping();
    await injectFault(() => proxy.setMode('swallow-replies'));
    const answer = client.incr('n').catch((error: Error) => error);
    const direct = redisClient(redis.url);
    await expect.poll(() => direct.get('n')).toBe('1');
    await injectFault(() => proxy.cut());
    expect(await answer).toBeInstanceOf(Error);
    await proxy.setMode('pass');
    expect(await redisClient(proxy.url('redis')).get('n')).toBe('1');
  });

  faultTest('appends bytes to one reply, so that both arrive together', async () => {
    const server = await shout();
    await using proxy = await startFaultProxy({ target: server.target });
    const socket = await dial(proxy.port);
    await injectFault(() => proxy.appendToReply((reply) => String(reply) === 'B', Buffer.from('!')));
    const replies: string[] = [];
    for (const letter of 'abb') {
      socket.write(letter);
      replies.push(String((await once(socket, 'data'))[0]));
    }
    expect(replies).toEqual(['A', 'B!', 'B']);
  });

  faultTest('delays each direction', async () => {
    const server = await shout();
    await using proxy = await startFaultProxy({ target: server.target });
    const socket = await dial(proxy.port);
    await injectFault(() => proxy.delay(40));
    const start = performance.now();
    socket.write('a');
    await once(socket, 'data');
    // A lower bound, which no slow machine can break: 40 ms there and 40 ms back, less
    // the rounding of timers.
    expect(performance.now() - start).toBeGreaterThanOrEqual(78);
  });

  it('keeps the order of bytes that were sent under different delays', async () => {
    const server = await shout();
    await using proxy = await startFaultProxy({ target: server.target });
    const socket = await dial(proxy.port);
    let replies = '';
    socket.on('data', (chunk) => {
      replies += chunk;
    });
    const words = Array.from({ length: 40 }, (_, i) => `w${i} `);
    for (const [i, word] of words.entries()) {
      proxy.delay(i % 2 ? 0 : 8);
      await new Promise((resolve) => socket.write(word, resolve));
      // One turn of the event loop, in which the proxy takes the word under the present delay.
      await new Promise(setImmediate);
    }
    await expect.poll(() => replies).toBe(words.join('').toUpperCase());
    expect(server.received()).toBe(words.join(''));
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a delay of %s', async (ms) => {
    await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: 1 } });
    expect(() => proxy.delay(ms)).toThrow(`delay ${ms}: 0 or more milliseconds are accepted`);
  });

  it('serves Postgres too and reports a dead target as a broken connection', async () => {
    await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: 1 } });
    await expect(pgClient(proxy.url('postgres://u:p@x/d'))).rejects.toThrow();
  });
});
