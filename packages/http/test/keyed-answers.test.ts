import type { KeyedEvent, KeyedListener } from '@ids/keyed';
import { describe, expect, it } from 'vitest';
import { createKeyedHttpGenerator } from '../src/index.js';
import type { IssueRequest } from '../src/wire.js';

const DESCRIBED = {
  name: 'message',
  strategy: 'segment-inproc',
  realm: 'r1',
  guarantees: {
    within: 'key',
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    gaps: 'on-fault',
    sync: false,
    idType: 'number',
    text: { pattern: 'x', alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
    backends: ['sql'],
    discloses: ['volume'],
  },
  health: { status: 'ok' },
  maxIdsPerRequest: 100,
};

type Answer = { readonly realm?: unknown; readonly ids: readonly unknown[] } | { readonly code: string };

/**
 * A generator whose server answers each request for ids of the key `a` with the next of `answers`: with ids,
 * or with a failure.
 */
function open(answers: readonly Answer[], onEvent?: KeyedListener) {
  const left = [...answers];
  const fetch = async (url: string, { body }: RequestInit) => {
    if (url.includes('/highest?')) return Response.json({ realm: 'r1', highest: '007' });
    if (body === undefined) return Response.json({ generators: [DESCRIBED] });
    const { nonce } = JSON.parse(String(body)) as IssueRequest;
    const answer = left.shift();
    if (answer === undefined || 'ids' in answer)
      return Response.json({ nonce, results: [{ realm: 'r1', ...answer }] });
    const problem = { status: 503, detail: 'not now', ...answer };
    return Response.json({ ...problem, nonce, results: [{ problem }] }, { status: 503 });
  };
  const options = { url: 'http://ids', name: 'message', keyed: true, deadlineMs: 500, fetch } as const;
  return createKeyedHttpGenerator({ ...options, onEvent });
}

const LATE = { problem: { status: 504, code: 'ERR_IDS_TIMEOUT', detail: 'others waited' } };
const GOT = { realm: 'r1', ids: ['1'] };

/** A generator whose server answers the keys of a request with `answer`, and what was asked for. */
async function openMany(
  answer: (keys: readonly string[], request: number) => readonly object[] | Response,
  onEvent?: KeyedListener,
) {
  const asked: string[][] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    if (body === undefined) return Response.json({ generators: [DESCRIBED] });
    const { nonce, calls } = JSON.parse(String(body)) as IssueRequest;
    const keys = calls.map(({ key = '' }) => key);
    const results = answer(keys, asked.push(keys));
    return results instanceof Response ? results : Response.json({ nonce, results });
  };
  const options = { url: 'http://ids', name: 'message', keyed: true, fetch, onEvent } as const;
  return { ids: await createKeyedHttpGenerator(options), asked };
}

it('asks together for keys that came later than others, if there are many', async () => {
  const { ids, asked } = await openMany((keys, request) =>
    keys.map((_, index) => (request > 1 || index === 0 ? GOT : LATE)),
  );
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => ids.next(key)));
  expect(asked[0]).toEqual(keys);
  expect(asked.slice(1).sort((a, b) => a.length - b.length)).toEqual([['k1'], ['k2'], ['k3'], keys.slice(4)]);
  expect(ids.health().status).toBe('ok');
  await ids.close();
});

it('takes it for a failure of the server if it answers none of several keys in time', async () => {
  const events: KeyedEvent[] = [];
  const { ids, asked } = await openMany(
    (keys, request) => keys.map(() => (request > 1 ? GOT : LATE)),
    (event) => events.push(event),
  );
  expect(await Promise.all([ids.next('a'), ids.next('b')])).toEqual([1, 1]);
  expect(asked).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(events[0]).toMatchObject({ type: 'reserve-failed', error: { code: 'ERR_IDS_TIMEOUT' } });
  await ids.close();
});

it('does not pause for all keys when the answer for a late one asks for a pause', async () => {
  const { ids, asked } = await openMany((keys) => {
    if (keys.length === 1 && keys[0] === 'late') {
      const problem = { status: 503, code: 'ERR_IDS_UNAVAILABLE', detail: 'not now' };
      return Response.json(problem, { status: 503, headers: { 'retry-after': '30' } });
    }
    return keys.map((key) => (key === 'late' ? LATE : GOT));
  });
  const late = expect(ids.next('late')).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
  await ids.next('a');
  while (asked.length < 2) await new Promise(setImmediate);
  expect(asked[1]).toEqual(['late']);
  expect(await ids.next('b')).toBe(1);
  await ids.close();
  await late;
});

describe('the answer for a key', () => {
  it('may have ids that do not follow one another', async () => {
    const ids = await open([{ ids: ['3', '4', '9'] }, { ids: ['12'] }]);
    expect(await Promise.all([ids.nextBatch('a', 2), ids.next('a')])).toEqual([[3, 4], 9]);
    expect([await ids.next('a'), ids.counters?.()]).toMatchObject([12, { idsIssued: 4, idsDiscarded: 0 }]);
    await ids.close();
  });

  it.each([
    ['of another store', { realm: 'r2', ids: ['1'] }, 'ERR_IDS_REALM'],
    ['without a store', { realm: undefined, ids: ['1'] }, 'ERR_IDS_REALM'],
    ['with an id that is no number', { ids: ['M-1'] }, 'ERR_IDS_UNAVAILABLE'],
    ['with an id that JavaScript rounds', { ids: ['9007199254740993'] }, 'ERR_IDS_UNAVAILABLE'],
    ['with too few ids', { ids: [] }, 'ERR_IDS_UNAVAILABLE'],
  ])('is not used if it is one %s', async (_, answer, code) => {
    const ids = await open([answer]);
    await expect(ids.next('a')).rejects.toMatchObject({ code });
    expect(ids.counters?.()).toMatchObject({ idsIssued: 0 });
    await ids.close();
  });

  it('is not used if its ids fall, or are not above those that the same calls got before', async () => {
    const falling = await open([{ ids: ['5', '4'] }, { ids: ['6', '8'] }]);
    expect(await falling.nextBatch('a', 2)).toEqual([6, 8]);
    await falling.close();
    const texts = Array.from({ length: 100 }, (_, index) => String(index + 1));
    const again = await open([{ ids: texts }, { ids: texts.slice(0, 50) }, { ids: texts.slice(0, 50) }]);
    await expect(again.nextBatch('a', 150)).rejects.toThrow(/has 1 for a key that had 100 before/);
    await again.close();
  });

  it('is asked for again if it was a failure that may pass, which is one of the server', async () => {
    const events: KeyedEvent[] = [];
    const ids = await open([{ code: 'ERR_IDS_UNAVAILABLE' }, { ids: ['7'] }], (event) => events.push(event));
    expect(await ids.next('a')).toBe(7);
    expect(events).toMatchObject([
      { type: 'reserve-failed', error: { code: 'ERR_IDS_UNAVAILABLE', status: 503 } },
      { type: 'reserve', ids: 1 },
    ]);
    await ids.close();
  });

  it('has a highest id only if that is one', async () => {
    const ids = await open([]);
    await expect(ids.highest('a')).rejects.toThrow(/"007", which is no id of a sequence/);
    await ids.close();
  });
});
