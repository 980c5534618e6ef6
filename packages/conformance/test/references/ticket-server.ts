import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * What a client asks, one JSON line each; the answer is one line with a number. A
 * counter that is missing is 0.
 */
export type TicketRequest =
  | { readonly op: 'add'; readonly name: string; readonly count: number }
  | { readonly op: 'get'; readonly name: string }
  | { readonly op: 'set'; readonly name: string; readonly value: number };

export interface TicketServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The smallest store that several processes can share: named counters on a loopback port. */
export async function startTicketServer(): Promise<TicketServer> {
  const counters = new Map<string, number>();
  const sockets = new Set<Socket>();

  function answer(request: TicketRequest): number {
    const value = counters.get(request.name) ?? 0;
    if (request.op === 'get') return value;
    const next = request.op === 'add' ? value + request.count : request.value;
    counters.set(request.name, next);
    return next;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => socket.write(`${answer(JSON.parse(line))}\n`));
    // A line reader passes on the errors of its input: clients that are closed or killed cut the connection.
    lines.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    port: address.port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
