import { createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { busPortOffset, freePort, isFree, onFreePort } from '../../src/ports.js';

async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return server;
}

describe('ports', () => {
  test('a system gives them to nobody else, and no port is the bus of another', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    for (const port of ports) {
      expect(port).toBeGreaterThanOrEqual(10_240);
      expect(port).toBeLessThan(10_240 + busPortOffset);
    }
  });

  test('a port in use is not free', async () => {
    const server = await listen(await freePort());
    const address = server.address() as { port: number };
    expect(await isFree(address.port)).toBe(false);
    server.close();
  });

  test('a start whose port was taken tries the next one', async () => {
    const taken = await listen(await freePort());
    const { port } = taken.address() as { port: number };
    const choices = [port, port, await freePort()];
    const started = await onFreePort(listen, async () => choices.shift() as number);
    expect(choices).toEqual([]);
    started.close();
    taken.close();
  });

  test('any other error is not tried again', async () => {
    let starts = 0;
    const start = () => {
      starts++;
      return Promise.reject(new Error('no such user'));
    };
    await expect(onFreePort(start)).rejects.toThrow('no such user');
    expect(starts).toBe(1);
  });

  test('after five ports that were taken, the error says so', async () => {
    const taken = await listen(await freePort());
    const { port } = taken.address() as { port: number };
    await expect(onFreePort(listen, async () => port)).rejects.toThrow('EADDRINUSE');
    taken.close();
  });
});
