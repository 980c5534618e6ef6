import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';

/** `unknown`: an encrypted connection, or one on which nothing was sent. */
export type Peer = 'redis' | 'sql' | 'http' | 'unknown';

const running = new AsyncLocalStorage<Peer[]>();
let watches = 0;

/**
 * The kind of server at the other end of each connection that `run`, and what it calls, opens from this
 * process.
 */
export async function peersDuring(run: () => Promise<unknown>): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  watches += 1;
  Socket.prototype.connect = watchedConnect as Socket['connect'];
  try {
    await running.run(peers, run);
  } finally {
    watches -= 1;
    if (watches === 0) Socket.prototype.connect = connect;
  }
  return peers;
}

const { connect } = Socket.prototype;

/**
 * All clients pass through this method. A diagnostics channel reports only sockets that `net.connect`
 * creates.
 */
function watchedConnect(this: Socket, ...args: Parameters<Socket['connect']>): Socket {
  connect.apply(this, args);
  const peers = running.getStore();
  if (peers !== undefined) watch(this, peers);
  return this;
}

function watch(socket: Socket, peers: Peer[]): void {
  const index = peers.push('unknown') - 1;
  const { write } = socket;
  // The first bytes that a client sends identify its protocol. After them the socket has its own `write`
  // again.
  socket.write = ((chunk: string | Uint8Array, ...rest: [never]) => {
    socket.write = write;
    peers[index] = peerAt(chunk);
    return socket.write(chunk, ...rest);
  }) as Socket['write'];
}

/**
 * A Redis command is an array, which begins with an asterisk, and a request of HTTP with its method. A TLS
 * record begins with byte 22.
 */
function peerAt(chunk: string | Uint8Array): Peer {
  const start = Buffer.from(chunk).subarray(0, 8).toString('latin1');
  if (start.charCodeAt(0) === 22) return 'unknown';
  if (/^[A-Z]+ \//.test(start)) return 'http';
  return start.startsWith('*') ? 'redis' : 'sql';
}
