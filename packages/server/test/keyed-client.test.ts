import { createKeyedHttpGenerator, type HttpKeyedOptions } from '@ids/http';
import type { IssueRequest } from '@ids/http/wire';
import { type KeyedSource, MemoryKeyedSource } from '@ids/keyed';
import { expect, it } from 'vitest';
import type { Client } from '../src/access.js';
import { createIdsHandler } from '../src/handler.js';
import type { Limits } from '../src/limits.js';
import { openMemoryFamily } from './support/memory-family.js';
import { newToken } from './support/tokens.js';

interface Served {
  readonly limits?: Partial<Limits>;
  /** The one client, which may issue; without it, there are no tokens. */
  readonly client?: Partial<Client>;
  readonly accept?: (key: string) => boolean;
  /** What stands between the server and its source. */
  readonly reserve?: (reserve: KeyedSource['reserve']) => KeyedSource['reserve'];
}

/** A client of a server with the keyed generator `message`, and the requests for ids that it sends. */
async function open(
  { limits, client, accept, reserve = (as) => as }: Served = {},
  options: Partial<HttpKeyedOptions> = {},
) {
  const source = new MemoryKeyedSource({ message: 0 });
  source.reserve = reserve(source.reserve.bind(source));
  const generator = await openMemoryFamily({ source, accept });
  const generators = { message: { generator, realm: 'memory' } };
  const { token, hash } = newToken();
  const clients = client && [{ name: 'shop', tokens: [hash], rights: ['issue'] as const, ...client }];
  const handler = createIdsHandler({ generators, clients, limits });
  const asked: string[][] = [];
  const ids = await createKeyedHttpGenerator({
    url: 'http://ids',
    name: 'message',
    keyed: true,
    token,
    fetch: (url, init) => {
      const { calls } = JSON.parse(String(init.body ?? '{"calls":[]}')) as IssueRequest;
      if (calls.length > 0) asked.push(calls.map(({ key, count }) => `${key} ${count}`));
      return handler(new Request(url, init));
    },
    ...options,
  });
  return { ids, asked, generator };
}

it('sends all calls of a turn, of all keys, in one request, and serves each key in order', async () => {
  const { ids, asked } = await open();
  const calls = ['a', 'b', 'a', 'c'].map((key) => ids.nextBatch(key, 2));
  calls.push(ids.nextBatch('d', 1, { startAfter: 100 }));
  expect(await Promise.all(calls)).toEqual([[1, 2], [1, 2], [3, 4], [1, 2], [101]]);
  expect(asked).toEqual([['a 4', 'b 2', 'c 2', 'd 1']]);
  expect([await ids.highest('a'), await ids.highest('none')]).toEqual([4, undefined]);
  expect(ids.counters?.()).toMatchObject({ idsIssued: 9, refills: 1, idsDiscarded: 0 });
  expect(ids.health().status).toBe('ok');
  await ids.close();
});

it('fails the calls of a key that the server refuses, alone and beside others', async () => {
  const { ids } = await open({ accept: (key) => key !== 'no' });
  const [refused, served] = await Promise.allSettled([ids.next('no'), ids.next('yes')]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'ERR_IDS_CONFIG', status: 400 } });
  expect(served).toEqual({ status: 'fulfilled', value: 1 });
  await expect(ids.next('no')).rejects.toMatchObject({ status: 400 });
  await expect(ids.highest('no')).rejects.toMatchObject({ status: 400 });
  expect(ids.health().status).toBe('ok');
  await ids.close();
});

it('refuses a key that would begin far up to a client without the right "floor", and no other key', async () => {
  const far = Number.MAX_SAFE_INTEGER - 100;
  const begin = async (rights: Client['rights']) => {
    const { ids } = await open({ client: { rights } });
    const calls = [ids.nextBatch('far', 1, { startAfter: far }), ids.next('near')];
    const settled = await Promise.allSettled(calls);
    await ids.close();
    return settled;
  };
  expect(await begin(['issue'])).toMatchObject([
    { reason: { code: 'ERR_IDS_CONFIG', status: 403 } },
    { value: 1 },
  ]);
  expect(await begin(['issue', 'floor'])).toMatchObject([{ value: [far + 1] }, { value: 1 }]);
});

it('splits what is more than the quota of a minute, and gets all of it as the quota fills again', async () => {
  const { ids } = await open({ client: { idsPerMinute: 6_000 } });
  const large = ids.nextBatch('large', 6_001);
  const small = Array.from({ length: 20 }, (_, at) => ids.next(`small:${at}`));
  expect(await Promise.all(small)).toEqual(new Array(20).fill(1));
  expect((await large).at(-1)).toBe(6_001);
  await ids.close();
});

it('asks aside for a key that takes long, so that no other one waits for it', async () => {
  let release = (): void => undefined;
  const unlocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { ids, asked } = await open(
    {
      reserve: (memory) => async (family, requests, options) => {
        const keys = requests.map(({ key }) => key);
        if (!keys.includes('slow')) return memory(family, requests, options);
        // As a source whose row is locked: the rest is answered at once.
        if (options.wait) await unlocked;
        const { keys: answers } = await memory(family, options.wait ? requests : requests.slice(1), options);
        return { keys: options.wait ? answers : [{ missed: 'locked' }, ...answers] };
      },
    },
    { deadlineMs: 2_000 },
  );
  const slow = ids.next('slow');
  expect(await ids.next('fast')).toBe(1);
  expect(await ids.next('other')).toBe(1);
  expect(asked.slice(0, 2)).toEqual([['slow 1', 'fast 1'], ['slow 1']]);
  expect(ids.health().status).toBe('ok');
  release();
  expect(await slow).toBeGreaterThan(0);
  await ids.close();
});

it('splits what exceeds the limit of a request, within a key and over all of them', async () => {
  const { ids, asked } = await open({ limits: { idsPerRequest: 10 } });
  const batches = await Promise.all(['a', 'b', 'c'].map((key) => ids.nextBatch(key, 14)));
  const expected = Array.from({ length: 14 }, (_, index) => index + 1);
  expect(batches).toEqual([expected, expected, expected]);
  expect(asked.slice(0, 3)).toEqual([['a 10'], ['b 10'], ['c 10']]);
  await ids.close();
});

it('fails at its deadline while the server has no store', async () => {
  const error = new Error('no route to the database');
  const { ids } = await open({ reserve: () => () => Promise.reject(error) }, { deadlineMs: 300 });
  await expect(ids.next('a')).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
  await ids.close();
});
