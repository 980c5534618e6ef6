import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Relay } from '../../src/relay.js';

/** Both ends of a connection over loopback. */
async function connection(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const near = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  for (const socket of [near, far]) {
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  }
  return { near, far };
}

it('closes a connection that is to end and to break at the same moment', async () => {
  const [from, to] = [await connection(), await connection()];
  let held = true;
  const relay = new Relay(from.far, to.near, () => ({ delayMs: 0, held, discarded: false }));
  const ended = once(from.far, 'end');
  from.near.end();
  await ended;
  const broken = new Promise((resolve) => from.far.once('close', resolve));
  from.far.destroy(new Error('broken'));
  await broken;
  const closed = once(to.near, 'close');
  held = false;
  relay.update();
  await closed;
  expect(to.near.destroyed).toBe(true);
});
