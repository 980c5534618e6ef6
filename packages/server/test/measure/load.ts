// Sends requests on many connections, in a process of its own. Each message of the parent asks for one run,
// and is answered with a `LoadResult`.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface LoadRun {
  readonly url: string;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second at fixed times, whether or not others were answered; as fast as it goes without. */
  readonly rate?: number | undefined;
}

export interface LoadResult {
  readonly perSecond: number;
  /** From when a request was to be sent, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

interface Connection {
  /** Resolves when the response has come; rejects unless it is a 200. */
  send(): Promise<void>;
  close(): void;
}

const HEAD_END = '\r\n\r\n';

/** HTTP/1.1 over a socket: a client library would use more of the machine than the server. */
async function open({ url, body }: LoadRun): Promise<Connection> {
  const { hostname, port, host, pathname } = new URL(url);
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
  const request = `${head}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`;
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  let arrived = '';
  let waiting: PromiseWithResolvers | undefined;
  socket.on('data', (chunk: string) => {
    arrived += chunk;
    if (!isWhole(arrived)) return;
    if (arrived.startsWith('HTTP/1.1 200')) waiting?.resolve();
    else waiting?.reject(new Error(`got ${arrived}`));
    arrived = '';
  });
  socket.on('error', (error) => waiting?.reject(error));
  return {
    send() {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      });
    },
    close: () => socket.destroy(),
  };
}

interface PromiseWithResolvers {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function isWhole(text: string): boolean {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return false;
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  return length === undefined ? text.endsWith(`0${HEAD_END}`) : text.length >= end + 4 + Number(length);
}

async function run(load: LoadRun): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => open(load)));
  const startedAt = performance.now();
  const latencies = await (load.rate === undefined
    ? asFastAsItGoes(connections, startedAt + load.seconds * 1_000)
    : atFixedTimes(connections, load.seconds, load.rate));
  const tookMs = performance.now() - startedAt;
  for (const connection of connections) connection.close();
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: (latencies.length * 1_000) / tookMs, p50: at(0.5), p99: at(0.99) };
}

async function asFastAsItGoes(connections: readonly Connection[], until: number): Promise<number[]> {
  const latencies: number[] = [];
  const call = async ({ send }: Connection): Promise<void> => {
    for (let now = performance.now(); now < until; ) {
      await send();
      const then = performance.now();
      latencies.push(then - now);
      now = then;
    }
  };
  await Promise.all(connections.map(call));
  return latencies;
}

async function atFixedTimes(free: Connection[], seconds: number, rate: number): Promise<number[]> {
  const latencies: number[] = [];
  const due: number[] = [];
  const startedAt = performance.now();
  const total = Math.floor(seconds * rate);
  const send = async (connection: Connection): Promise<void> => {
    for (let at = due.shift(); at !== undefined; at = due.shift()) {
      await connection.send();
      latencies.push(performance.now() - at);
    }
    free.push(connection);
  };
  for (let sent = 0; latencies.length < total; await delay(1)) {
    for (; sent < total && startedAt + (sent * 1_000) / rate <= performance.now(); sent++) {
      due.push(startedAt + (sent * 1_000) / rate);
      const connection = free.pop();
      if (connection !== undefined) void send(connection);
    }
  }
  return latencies;
}

process.on('message', async (load: LoadRun) => process.send?.(await run(load)));
