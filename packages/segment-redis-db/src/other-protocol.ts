import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * What to write if the server at `url` speaks the other one of TLS and plain text; undefined if it does not
 * say so within `limitMs`. With the wrong one, clients only see that a connection ends, or that nothing is
 * answered.
 */
export async function otherProtocol(url: string, limitMs: number): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  // An IPv6 address has brackets in a URL.
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  if (protocol === 'rediss:') {
    const plain = await answers(connectPlain(address), 'data', limitMs);
    return plain ? 'it has no TLS on this port: write redis:// or its port with TLS' : undefined;
  }
  // Nothing is sent here, so it does not matter whose certificate it is.
  const tls = await answers(connectTls({ ...address, rejectUnauthorized: false }), 'secureConnect', limitMs);
  return tls ? 'it wants TLS on this port: write rediss://' : undefined;
}

/** Whether `event` comes within `limitMs`. To a plain server, `PING` is a whole command. */
function answers(socket: Socket, event: 'data' | 'secureConnect', limitMs: number): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), limitMs);
    socket.once(event, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(false);
    });
    if (event === 'data') socket.once('connect', () => socket.write('PING\r\n'));
  }).finally(() => socket.destroy());
}
