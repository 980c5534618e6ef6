import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * What a proxy does with POSTs.
 * - `pass`: as if it were not there.
 * - `lose-response`: the server answers, and the connection to the client breaks instead.
 * - `stall-response`: the server answers, and the client gets half of that, and nothing more.
 * - `send-twice`: the request goes to the server twice; the client gets the second answer.
 * - `replay`: the client gets the last answer to any request for the same path, and the server gets nothing.
 */
type ProxyMode = 'pass' | 'lose-response' | 'stall-response' | 'send-twice' | 'replay';

/** A proxy between clients and servers of ids. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** How many requests a mode other than `pass` has affected. */
  readonly affected: number;
  setMode(mode: ProxyMode): void;
  /** Requests go to these servers in turn. */
  setTargets(...urls: readonly string[]): void;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function startHttpProxy(...urls: readonly string[]): Promise<HttpProxy> {
  let [mode, targets, turn, affected]: [ProxyMode, readonly string[], number, number] = ['pass', urls, 0, 0];
  const kept = new Map<string, Answer>();

  const forward = async (request: IncomingMessage, body: string): Promise<Answer> => {
    const target = targets[turn++ % targets.length] ?? '';
    const { method = 'GET', url = '/', headers } = request;
    const response = await fetch(`${target}${url}`, {
      method,
      headers: { 'content-type': headers['content-type'] ?? '' },
      ...(method === 'POST' && { body }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };

  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '/' } = request;
    const body = await text(request);
    const now = request.method === 'POST' ? mode : 'pass';
    if (now !== 'pass') affected += 1;
    const old = kept.get(url);
    if (now === 'send-twice') await forward(request, body);
    const answer = now === 'replay' && old !== undefined ? old : await forward(request, body);
    kept.set(url, answer);
    if (now === 'lose-response') response.destroy();
    else if (now === 'stall-response')
      response.writeHead(answer.status, answer.headers).write(answer.body.slice(0, answer.body.length / 2));
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const server = createServer((request, response) => {
    // A server that does not answer breaks the connection, as a proxy at the level of TCP would.
    answerTo(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get affected() {
      return affected;
    },
    setMode: (next) => {
      mode = next;
    },
    setTargets: (...next) => {
      targets = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
