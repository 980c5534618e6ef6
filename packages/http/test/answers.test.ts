import { describe, expect, it } from 'vitest';
import { createHttpGenerator, type HttpOptions } from '../src/index.js';

/** What a server says of a generator of numbers. */
const DESCRIBED = {
  name: 'order',
  strategy: 'segment-inproc',
  realm: 'r1',
  guarantees: {
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    sync: true,
    idType: 'number',
    text: {
      pattern: '^[1-9][0-9]{0,15}$',
      alphabet: '0123456789',
      minLength: 1,
      maxLength: 16,
      sortable: false,
    },
    backends: ['sql'],
    discloses: ['volume'],
  },
  health: { status: 'ok' },
  maxIdsPerRequest: 100,
};

const json = (body: unknown, status = 200): Response => Response.json(body, { status });

/** Opens a generator whose server describes it so, and answers POSTs with `answer`. */
function open(
  options: Partial<HttpOptions>,
  described: object = DESCRIBED,
  answer: (body: { readonly nonce: string }) => Response = () => json({}),
) {
  const fetch = async (_: string, { method, body }: RequestInit) =>
    method === 'POST' ? answer(JSON.parse(String(body))) : json({ generators: [described] });
  return createHttpGenerator({
    url: 'http://ids',
    name: 'order',
    deadlineMs: 200,
    fetch,
    ...options,
  } as HttpOptions);
}

describe('what a server offers', () => {
  const { guarantees } = DESCRIBED;
  const uuids = { alphabet: '-0123456789abcdef', minLength: 36, maxLength: 36, sortable: true, pattern: 'x' };
  it.each([
    ['sequences: claims one, the server offers one for each key', {}, { within: 'key' }],
    ['unique: claims cluster, the server offers process', {}, { unique: 'process' }],
    ['order: claims real-time, the server offers none', { order: 'real-time' }, {}],
    ['gaps: claims on-fault, the server offers on-restart', { gaps: 'on-fault' }, {}],
    ['text: claims only the characters 0123456789', {}, { text: uuids }],
    [
      'text: claims 36 to 36 characters',
      { as: 'string', text: 'uuid' },
      { text: { ...uuids, maxLength: 37 } },
    ],
    ['discloses: the ids of the server also disclose volume', { discloses: [] }, {}],
  ] as const)('is not less than what the options claim: %s', async (message, options, offered) => {
    const described = { ...DESCRIBED, guarantees: { ...guarantees, ...offered } };
    const opening = open(options as Partial<HttpOptions>, described);
    await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_UNMET' });
    await expect(opening).rejects.toThrow(message);
  });

  it('has leases, for leased ranges', async () => {
    await expect(open({ mode: 'segments' } as never)).rejects.toMatchObject({ code: 'ERR_IDS_UNMET' });
  });
});

describe('an answer', () => {
  const results = (realm: unknown, ...ids: unknown[]) => [{ realm, ids }];
  type Answer = (body: { readonly nonce: string }) => Response;
  it.each([
    ['has no nonce', () => json({ results: results('r1', '1') }), /has no nonce/],
    [
      'has fewer ids',
      ({ nonce }: { nonce: string }) => json({ nonce, results: results('r1') }),
      /does not have the 1 ids that were asked for/,
    ],
    [
      'has an id that is a number',
      ({ nonce }: { nonce: string }) => json({ nonce, results: results('r1', 1) }),
      /does not have the 1 ids/,
    ],
    [
      'has an id of another form',
      ({ nonce }: { nonce: string }) => json({ nonce, results: results('r1', '007') }),
      /has "007", which is no id of this generator/,
    ],
    [
      'has an id that a number cannot hold',
      ({ nonce }: { nonce: string }) => json({ nonce, results: results('r1', '9007199254740993') }),
      /which is no id of this generator/,
    ],
    ['is no JSON', () => new Response('<html>'), /answered 200 without problem details/],
    ['is that of a proxy', () => new Response('', { status: 502 }), /answered 502 without problem details/],
    ['is a redirect', () => Response.redirect('http://other/', 302), /answered 302 without problem details/],
    [
      'breaks off',
      () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('cut')) })),
      /broke off its answer: cut/,
    ],
  ])('is not used if it %s', async (_, answer, message) => {
    const generator = await open({}, DESCRIBED, answer as Answer);
    await expect(generator.next()).rejects.toThrow(message);
    expect(generator.counters()).toMatchObject({ idsIssued: 0, takes: 0 });
    await generator.close();
  });

  it('is not used if its realm is another one, or missing', async () => {
    for (const realm of ['r2', null, undefined]) {
      const generator = await open({}, DESCRIBED, ({ nonce }) =>
        json({ nonce, results: results(realm, '1') }),
      );
      await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_REALM' });
      await generator.close();
    }
  });

  it('is not used if its ids are not above those before, where the order is real-time', async () => {
    const described = {
      ...DESCRIBED,
      guarantees: { ...DESCRIBED.guarantees, order: { process: 'increasing', cluster: 'real-time' } },
    };
    const answers = ['5', '5', '4', '6'];
    const generator = await open({ order: 'real-time', deadlineMs: 10_000 }, described, ({ nonce }) =>
      json({ nonce, results: results('r1', answers.shift()) }),
    );
    expect([await generator.next(), await generator.next()]).toEqual([5, 6]);
    await generator.close();
  });
});
