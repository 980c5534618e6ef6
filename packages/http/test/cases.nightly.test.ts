import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { IdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { clientCases } from '../src/cases/case-files.js';
import { checkClient } from '../src/cases/check-client.js';
import { type ClientProgram, startClientProgram } from '../src/cases/client-program.js';
import type { FetchLike } from '../src/index.js';
import { ownClient } from './support/own-client.js';

describe('cases for clients', () => {
  it('are passed by the client of this package', async () => {
    await using client = ownClient();
    const results = await checkClient(client);
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
    // It makes no requests with calls for several generators.
    expect(results.filter(({ unsupported }) => unsupported).map(({ title }) => title)).toEqual([
      'several calls in one request, of which one fails',
    ]);
  });

  it('are passed by the client in Python, all of them, through the command', () => {
    const { error } = spawnSync('python3', ['--version']);
    if (error !== undefined) throw new Error('python3 is missing: apt-get install python3', { cause: error });
    const [command, program] = ['../dist/cases/main.js', '../clients/python/check.py'].map((file) =>
      fileURLToPath(new URL(file, import.meta.url)),
    );
    const args = [command ?? '', 'check-client', '--', 'python3', program ?? ''];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout).toMatch(new RegExp(`\\n${clientCases().length} passed, 0 failed\\n$`));
    expect(stdout).not.toMatch(/^unsupported/m);
    expect(status).toBe(0);
  });

  it('the client in Python pauses for a minute at most, also if a proxy asks for a day', async () => {
    const server = createServer((_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const cwd = fileURLToPath(new URL('../clients/python', import.meta.url));
    const program = `import ids_http, time
client = ids_http.IdsClient('http://127.0.0.1:${(server.address() as AddressInfo).port}')
try: client.next('order')
except ids_http.IdsError: print(client._paused_until - time.monotonic())`;
    const { stdout } = await promisify(execFile)('python3', ['-Bc', program], { cwd });
    server.close();
    expect(Number(stdout)).toBeGreaterThan(30);
    expect(Number(stdout)).toBeLessThanOrEqual(60);
  });

  it('name a program that does not start, and one that ends', async () => {
    await using missing = startClientProgram(['/nowhere/client']);
    await expect(checkClient(missing)).rejects.toThrow('/nowhere/client does not start');
    await using ending = startClientProgram([process.execPath, '--eval', '0']);
    await expect(checkClient(ending)).rejects.toThrow('the program ended after {"open":');
  });
});

type Json = Record<string, unknown>;

/** A `fetch` that changes the JSON of answers to POSTs. */
const altered =
  (alter: (answer: Json, sent: Json, tookMs: number) => unknown): FetchLike =>
  async (url, init) => {
    const startedAt = performance.now();
    const response = await fetch(url, init);
    if (init.method !== 'POST') return response;
    const text = await response.text();
    const sent = JSON.parse(String(init.body)) as Json;
    const answer = text.startsWith('{') ? JSON.parse(text) : { page: text };
    const { status, headers } = response;
    const body = JSON.stringify(alter(answer, sent, performance.now() - startedAt));
    return new Response(body, { status, headers });
  };

/** Changes the ids of answers. */
const alteredIds = (alter: (ids: unknown[]) => unknown[]): FetchLike =>
  altered(({ results, ...rest }) => {
    const [first] = (results ?? []) as { ids: unknown[] }[];
    return { ...rest, ...(first && { results: [{ ...first, ids: alter(first.ids) }] }) };
  });

const invents: FetchLike = async (url, init) => {
  if (init.method !== 'POST') return fetch(url, init);
  await fetch(url, init);
  const { nonce } = JSON.parse(String(init.body));
  return Response.json({ nonce, results: [{ realm: 'r1', ids: ['666'] }] });
};

const asksAgain: FetchLike = async (url, init) => {
  const send = async () => new Response(await (await fetch(url, init)).text());
  return send().catch(send);
};

const inBody =
  (pattern: string, replacement: string): FetchLike =>
  (url, init) =>
    fetch(url, { ...init, ...(init.body && { body: String(init.body).replace(pattern, replacement) }) });

/** The client of this package behind a `fetch` that hides something from it, and which cases notice that. */
const LIARS: readonly (readonly [flaw: string, lie: FetchLike, caught: readonly string[]])[] = [
  ['asks for more than it was told', inBody('"count":1', '"count":2'), ['one id']],
  ['asks for one id each time', inBody('"count":3', '"count":1'), ['many ids in one request']],
  [
    'sends no token',
    (url, { headers, ...init }) => fetch(url, { ...init, headers: { 'content-type': 'application/json' } }),
    ['a token is sent as a header, and nowhere else'],
  ],
  [
    'parses ids as numbers',
    alteredIds((ids) => ids.map((id) => String(Number(id)))),
    ['numbers above 2^53 stay exact', 'an answer with an id that is a number is not used'],
  ],
  [
    'makes up ids that are missing',
    alteredIds((ids) => (ids.length === 0 ? ['1'] : ids)),
    ['an answer with fewer ids than asked for is not used'],
  ],
  [
    'stumbles over what it does not know',
    altered((answer) => {
      if ('future' in answer) throw new IdError('ERR_IDS_CONFIG', 'what is this?');
      return answer;
    }),
    ['unknown members are ignored', 'a range'],
  ],
  [
    'does not compare nonces',
    altered((answer, { nonce }) => ({ ...answer, nonce })),
    [
      'an answer without a nonce is not used',
      'an answer with the nonce of another request is not used',
      'a range with the nonce of another request is not used',
    ],
  ],
  [
    'reads ids out of any page',
    invents,
    ['a page in place of an answer is not used', 'a page of a proxy that cannot reach the server passes'],
  ],
  [
    'follows redirects',
    (url, init) => fetch(url, { ...init, redirect: 'follow' }),
    ['a redirect is not followed'],
  ],
  [
    'sends a request again',
    asksAgain,
    ['a request without an answer is not sent again', 'half an answer is not used'],
  ],
  [
    'takes silence for an outage',
    (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(100) }),
    ['an answer that does not come ends in a timeout'],
  ],
  [
    'has one code for all problems',
    altered((answer) => ('code' in answer ? { ...answer, code: 'ERR_IDS_UNMET' } : answer)),
    clientCases()
      .map(({ title }) => title)
      .filter((title) => /^[45]\d\d is /.test(title)),
  ],
  [
    'knows no Retry-After',
    async (url, init) => {
      const response = await fetch(url, init);
      response.headers.delete('retry-after');
      return response;
    },
    ['429 is ERR_IDS_UNAVAILABLE, and nothing is sent before Retry-After'],
  ],
  [
    'does not compare realms',
    altered(({ results, ...rest }) => ({
      ...rest,
      realm: 'r1',
      ...(Array.isArray(results) && { results: results.map((one) => ({ ...one, realm: 'r1' })) }),
    })),
    [
      'an answer of another store is refused for good',
      'an answer that does not name its store is refused',
      'a lease of another store is refused for good',
    ],
  ],
  [
    'counts the time of a lease from its answer',
    altered(({ expiresInMs, ...rest }, _, tookMs) => ({
      ...rest,
      ...(expiresInMs !== undefined && { expiresInMs: Number(expiresInMs) + tookMs }),
    })),
    ['a range that expired on its way'],
  ],
  [
    'takes every lease that ends for one that has ended',
    altered((answer) => ({ ...answer, expiresInMs: 0 })),
    ['a range that is still valid'],
  ],
  [
    'believes that it got what it asked for',
    altered((answer, { size }) => ({ ...answer, high: Number(answer.low) + Number(size) - 1 })),
    ['a range of another size is not used'],
  ],
];

/** Knows no keys, and only the first of several results. */
function carelessClient(): ClientProgram {
  let url: unknown;
  return {
    async ask({ open, next, issue = [{ generator: next }] }) {
      url = open ?? url;
      if (open !== undefined) return {};
      const body = JSON.stringify({ nonce: crypto.randomUUID(), calls: issue });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/ids`, { method: 'POST', body, headers });
      return { ids: ((await response.json()) as { results: { ids: string[] }[] }).results[0]?.ids };
    },
  };
}
const CARELESS = ['ids of a key', 'several calls in one request, of which one fails'];

/** The cases that a client fails. */
async function failedBy(client: ClientProgram, titles: readonly string[]): Promise<string[]> {
  const results = await checkClient(client, titles);
  return results.filter(({ problems }) => problems.length > 0).map(({ title }) => title);
}

describe('a client fails that', () => {
  it.each(LIARS)('%s', async (_, lie, titles) => {
    await using client = ownClient(lie);
    expect((await failedBy(client, titles)).toSorted()).toEqual(titles.toSorted());
  });

  it('knows no keys, and only one result', async () => {
    expect(await failedBy(carelessClient(), CARELESS)).toEqual(CARELESS);
  });

  it('each case notices', () => {
    const noticed = new Set([...LIARS.flatMap(([, , titles]) => titles), ...CARELESS]);
    expect([...noticed].toSorted()).toEqual(
      clientCases()
        .map(({ title }) => title)
        .toSorted(),
    );
  });
});
