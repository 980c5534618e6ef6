import { checkServer, serverCases } from '@ids/http/cases';
import { afterEach, describe, expect, it } from 'vitest';
import { createIdsHandler, type IdsHandlerOptions } from '../src/handler.js';
import { caseServer } from './support/case-server.js';

type Handler = (request: Request) => Promise<Response>;
type Json = Record<string, unknown>;
/** A server that does not do what `handler` does. */
type Change = (handler: Handler, served: IdsHandlerOptions) => Handler;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function failedBy(change: Change): Promise<string[]> {
  const served = await caseServer();
  opened.push(...Object.values(served.generators).map(({ generator }) => generator));
  const results = await checkServer('http://ids', change(createIdsHandler(served), served));
  return results.filter(({ problems }) => problems.length > 0).map(({ title }) => title);
}

/** Changes answers: their JSON, status and headers. */
function answering(alter: (answer: Json, head: { status: number; headers: Headers }) => unknown): Change {
  return (handler) => async (request) => {
    const response = await handler(request);
    const head = { status: response.status, headers: response.headers };
    const body = JSON.stringify(alter((await response.json()) as Json, head));
    return new Response(body, head);
  };
}

/** Changes each result of an answer. */
const resulting = (alter: (result: Json) => unknown): Change =>
  answering(({ results, ...rest }) => ({
    ...rest,
    ...(Array.isArray(results) && { results: results.map(alter) }),
  }));

const withIds = (alter: (ids: string[]) => unknown): Change =>
  resulting(({ ids, ...rest }) => ({ ...rest, ...(Array.isArray(ids) && { ids: alter(ids) }) }));

/** Changes each call of a request. */
function called(alter: (call: Json) => unknown): Change {
  return (handler) => async (request) => {
    const text = await request.clone().text();
    if (!text.startsWith('{"')) return handler(request);
    const { calls, ...rest } = JSON.parse(text);
    const body = JSON.stringify({ ...rest, ...(Array.isArray(calls) && { calls: calls.map(alter) }) });
    return handler(new Request(request, { body, method: 'POST' }));
  };
}

/** Gives the first answer again, to requests that `of` takes for the same. */
function keeping(of: (request: Request, body: Json) => unknown): Change {
  const kept = new Map<unknown, Response>();
  return (handler) => async (request) => {
    const text = await request.clone().text();
    const body = text.startsWith('{"') ? (JSON.parse(text) as Json) : {};
    const key = of(request, body);
    const found = kept.get(key);
    if (key === undefined || found === undefined) {
      const response = await handler(request);
      kept.set(key, response.clone());
      return response;
    }
    return Response.json({ ...((await found.clone().json()) as Json), nonce: body.nonce }, found);
  };
}

/** Servers with a flaw, and the cases that notice it, among others. */
const LIARS: readonly (readonly [flaw: string, change: Change, caught: readonly string[]])[] = [
  ['keeps answers', keeping(({ url }) => url), ['one id', 'ranges do not overlap']],
  [
    'keeps answers by nonce',
    keeping((_, { nonce }) => nonce),
    ['a request that is sent twice takes ids twice'],
  ],
  [
    'has ids that are numbers',
    withIds((ids) => ids.map(Number)),
    ['one id', 'numbers above 2^53 are strings'],
  ],
  [
    'rounds numbers',
    withIds((ids) => ids.map((id) => String(Number(id)))),
    ['numbers above 2^53 are strings'],
  ],
  ['gives one id each time', withIds((ids) => ids.slice(0, 1)), ['many ids in one request']],
  ['uses many stores', resulting((one) => ({ ...one, realm: crypto.randomUUID() })), ['one id']],
  [
    'ignores keys',
    called((call) => ({ ...call, key: call.generator === 'message' ? 'all' : undefined })),
    ['ids by key', 'a key is needed where there are keys, and nowhere else'],
  ],
  [
    'fails all calls if one fails',
    answering((answer, head) => {
      const { problem } = (answer.results as Json[] | undefined)?.find((one) => 'problem' in one) ?? {};
      if (problem !== undefined) head.status = (problem as { status: number }).status;
      return problem ?? answer;
    }),
    ['several calls, of which one fails'],
  ],
  [
    'says that all is well',
    answering((answer, head) => {
      head.status = 200;
      return answer;
    }),
    ['several calls that all fail', 'no token, and a wrong one, are refused'],
  ],
  [
    'takes any content for JSON',
    (handler) => (request) => {
      if (request.method === 'POST') request.headers.set('content-type', 'application/json');
      return handler(request);
    },
    ['a body of another content type is refused'],
  ],
  [
    'guesses what was meant',
    called(({ cuont: _, count, ...call }) => ({
      ...call,
      count: Math.max(1, Math.round(Number(count ?? 1))),
    })),
    [
      'an unknown member of a request is refused',
      'a count of 0, and one that is no whole number, are refused',
    ],
  ],
  [
    'knows no clients',
    (_, { generators }) => createIdsHandler({ generators }),
    [
      'no token, and a wrong one, are refused',
      'a client may only do what it has a right for',
      'a quota that is used up names the time to come again',
      'a list has only what a client may use',
    ],
  ],
  [
    'has one status for all failures',
    answering((answer, head) => {
      if (head.status < 400) return answer;
      head.status = 500;
      return { ...answer, status: 500 };
    }),
    [
      'a body that is no JSON is refused',
      'a nonce of another form is refused',
      'more ids than a request may have are refused',
      'a body that is too long is refused',
      'an unknown generator is 404',
      'ids that are used up are 409',
      'a store that does not answer in the time of the client is 504',
      'a generator that leases no ranges answers 409',
    ],
  ],
  [
    'names no time to come again',
    answering((answer, { headers }) => {
      headers.delete('retry-after');
      return answer;
    }),
    ['a store that cannot be used is 503', 'a quota that is used up names the time to come again'],
  ],
  [
    'shows errors as they are',
    answering((answer, { status }) =>
      status === 503 ? { ...answer, detail: 'connect ECONNREFUSED db.internal:5432' } : answer,
    ),
    ['a failure names no backend'],
  ],
  [
    'leaves out what it says besides',
    answering(({ expiresInMs: _, moved: __, generators: ___, maxId: ____, ...rest }) => rest),
    [
      'a lease of ids of a day says for how long',
      'a sequence that is not where the client expects it leases nothing, and says where it is',
      'a description of a generator takes no ids',
      'where a sequence is',
    ],
  ],
];

describe('a server fails that', () => {
  it.each(LIARS)('%s', async (_, change, titles) => {
    expect(await failedBy(change)).toEqual(expect.arrayContaining([...titles]));
  });

  it('each case notices', () => {
    const noticed = new Set(LIARS.flatMap(([, , titles]) => titles));
    expect([...noticed].toSorted()).toEqual(
      serverCases()
        .map(({ title }) => title)
        .toSorted(),
    );
  });
});

it('the handler of this package passes them', async () => {
  expect(await failedBy((handler) => handler)).toEqual([]);
});
