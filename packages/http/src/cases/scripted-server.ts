import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { NONCE_PATTERN } from '../wire.js';
import type { ClientCase, Json, ScriptedAnswer } from './case-files.js';
import { describedAs } from './described.js';
import { differences } from './differences.js';

type Exchanges = ClientCase['calls'][number]['exchanges'];

/** The server's part, on loopback, as the cases say it. Holds each request against the rules for clients. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** Starts a case, whose client sends this token. */
  begin(token: string | undefined): void;
  /** What is said to the next requests that take ids. Without any, no request at all may come. */
  say(exchanges: Exchanges): void;
  /** What was wrong with the requests since the last time. */
  problems(): readonly string[];
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  let [token, exchanges, turn, found]: [string | undefined, Exchanges, number, string[]] = [
    undefined,
    [],
    0,
    [],
  ];
  const nonces = new Set<unknown>();

  const takesIds = async (body: Json, response: ServerResponse): Promise<void> => {
    const { request, answer } = exchanges[Math.min(turn++, exchanges.length - 1)] as Exchanges[number];
    if (nonces.has(body.nonce)) found.push('a nonce must be chosen anew for each request');
    if (!NONCE_PATTERN.test(String(body.nonce)))
      found.push(`this is no nonce: ${JSON.stringify(body.nonce)}`);
    nonces.add(body.nonce);
    found.push(...differences(request, withCounts(body), 'the request'));
    await give(answer, String(body.nonce), response);
  };

  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
    const body = await text(request);
    if (exchanges.length === 0) found.push(`no request may be sent now, got ${method} ${pathname}`);
    if (headers.authorization !== (token && `Bearer ${token}`))
      found.push(
        `the token of the client must be sent as Authorization: Bearer, got ${headers.authorization}`,
      );
    if (method === 'GET' && pathname === '/v1/generators')
      return json(response, describedAs(searchParams.get('name')));
    if (method === 'POST' && /^\/v1\/(ids|leases)$/.test(pathname) && exchanges.length > 0) {
      if (headers['content-type']?.split(';')[0] !== 'application/json')
        found.push(`the content-type must be application/json, got ${headers['content-type']}`);
      return takesIds(JSON.parse(body), response);
    }
    found.push(`there is nothing at ${method} ${pathname}`);
    json(response, {}, 404);
  };

  const server = createServer((request, response) => {
    answerTo(request, response).catch((error: unknown) => {
      found.push(`this request cannot be answered: ${error}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin(of) {
      token = of;
    },
    say(next) {
      [exchanges, turn] = [next, 0];
    },
    problems: () => found.splice(0),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A count that is left out is 1. */
function withCounts(body: Json): Json {
  if (!Array.isArray(body.calls)) return body;
  return { ...body, calls: body.calls.map((call) => ({ count: 1, ...call })) };
}

async function give(answer: ScriptedAnswer, nonce: string, response: ServerResponse): Promise<void> {
  if ('fault' in answer) {
    if (answer.fault === 'silence') return;
    if (answer.fault === 'half-an-answer') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      await new Promise((resolve) => response.write(`{ "nonce": "${nonce}", "results": [`, resolve));
    }
    response.destroy();
    return;
  }
  const { status, headers, body, text, delayMs } = answer;
  if (delayMs > 0) await delay(delayMs);
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers });
  response.end(text ?? JSON.stringify(body)?.replaceAll('<nonce>', nonce));
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
