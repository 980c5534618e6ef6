import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * An address on 127.0.0.1 that leads to one server, and later to another, as a name or a virtual
 * address does in a failover.
 */
export interface Endpoint {
  readonly port: number;
  /** New connections lead to `target`; live ones are cut. */
  leadTo(target: Address): void;
  close(): Promise<void>;
}

export async function startEndpoint(first: Address): Promise<Endpoint> {
  let target = first;
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    // Either side may be cut; its end is passed on by closing the other.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    track(client);
    track(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      target = { host: next.host, port: next.port };
      cut();
    },
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
