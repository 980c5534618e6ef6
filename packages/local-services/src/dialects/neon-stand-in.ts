import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import pg from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';

/** Where the driver of Neon finds what stands in for the proxies of Neon. */
export interface NeonStandIn {
  /** For statements over HTTP. */
  readonly sqlUrl: string;
  /** Where a WebSocket leads to a server, without the scheme. */
  socketAddress(host: string, port: number | string): string;
}

/** Texts as the server sends them: the driver parses them itself. */
const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/**
 * Speaks what the proxies of Neon speak, in front of any Postgres: statements over HTTP, each on a connection
 * of its own, and the wire protocol in a WebSocket. It does not keep the process alive.
 */
export async function startNeonStandIn(): Promise<NeonStandIn> {
  const server = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url = '' }) => {
    const [host, port] = (new URL(url, 'http://neon').searchParams.get('address') ?? '').split(':');
    const stream = createWebSocketStream(socket);
    const target = connect(Number(port), host);
    target.unref();
    target.on('error', () => socket.terminate());
    stream.on('error', () => target.destroy());
    stream.pipe(target).pipe(stream);
    target.on('close', () => socket.terminate());
    stream.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sqlUrl: `http://${address}/sql`,
    socketAddress: (host, port) => `${address}/v2?address=${host}:${port}`,
  };
}

/** Runs one statement. A request that ends before its answer cancels it, by the end of the connection. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const client = new pg.Client({
    connectionString: String(request.headers['neon-connection-string']),
    types: AS_TEXT,
  });
  client.on('error', () => {});
  const reply = (status: number, body: object): void => {
    if (!response.destroyed) response.writeHead(status).end(JSON.stringify(body));
  };
  try {
    const { query, params } = JSON.parse(await textOf(request)) as { query: string; params: unknown[] };
    await client.connect();
    response.on('close', () => void cancel(client));
    const { fields, command, rowCount, rows } = await client.query({
      text: query,
      values: params,
      rowMode: 'array',
    });
    reply(200, { fields, command, rowCount, rows, rowAsArray: true });
  } catch (error) {
    // As the proxy answers it: with the fields of the server's error, if it is one.
    reply(400, { ...(error as object), message: (error as Error).message });
  } finally {
    await client.end().catch(() => {});
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Cancels what the client runs; nothing, if that has ended. */
async function cancel(client: pg.Client): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as {
    readonly host: string;
    readonly port: number;
    readonly processID: number;
    readonly secretKey: number;
  };
  const request = Buffer.alloc(16);
  for (const [index, part] of [16, 80_877_102, processID, secretKey].entries()) {
    request.writeInt32BE(part, 4 * index);
  }
  const socket = connect(port, host);
  socket.on('error', () => {});
  socket.end(request);
}
