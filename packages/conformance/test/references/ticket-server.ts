import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * What a client asks, one JSON line each, with a number of its own as `id`; the answer is one line with that
 * number and a value. A counter that is missing is 0, and is after `startAfter` once it was added to.
 * Whatever is below `base` is raised to that first. What is added to a locked counter is added, and answered,
 * when it is unlocked.
 */
export type TicketRequest =
  | {
      readonly op: 'add';
      readonly name: string;
      readonly count: number;
      readonly startAfter?: number;
      readonly base?: number;
    }
  | { readonly op: 'get' | 'lock' | 'unlock'; readonly name: string }
  | { readonly op: 'set'; readonly name: string; readonly value: number };

export interface TicketServer {
  readonly port: number;
  close(): Promise<void>;
}

function after(
  value: number | undefined,
  { startAfter = 0, base = 0 }: Extract<TicketRequest, { op: 'add' }>,
): number {
  return value === undefined ? base + startAfter : Math.max(value, base);
}

/** The smallest store that several processes can share: named counters on a loopback port. */
export async function startTicketServer(): Promise<TicketServer> {
  const counters = new Map<string, number>();
  const sockets = new Set<Socket>();

  const locked = new Map<string, (() => void)[]>();

  function answer(request: TicketRequest): number {
    const { op, name } = request;
    const value = counters.get(name);
    if (op === 'add' || op === 'set') {
      const next = op === 'add' ? after(value, request) + request.count : request.value;
      counters.set(name, next);
      return next;
    }
    if (op === 'lock') locked.set(name, []);
    if (op === 'unlock') {
      const waiting = locked.get(name) ?? [];
      locked.delete(name);
      for (const go of waiting) go();
    }
    return value ?? 0;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      const { id, ...request } = JSON.parse(line) as TicketRequest & { readonly id: number };
      const go = (): void => void socket.write(`${id} ${answer(request as TicketRequest)}\n`);
      const waiting = request.op === 'add' ? locked.get(request.name) : undefined;
      if (waiting === undefined) go();
      else waiting.push(go);
    });
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
