import { createHttpGenerator } from '@ids/http';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, it } from 'vitest';
import { Access, type Client } from '../src/access.js';
import { handlerWith } from '../src/handler.js';
import { Tallies } from '../src/tally.js';
import { newToken } from './support/tokens.js';

it.each([
  // What is left over waits for the next minute.
  ['ids', 800, 850],
  // The rest of the first range, and some of the next one.
  ['segments', 1_700, 1_700],
] as const)('a client that asks for %s goes on when its quota is lowered', async (mode, served, asked) => {
  const source = new MemorySegmentSource({ order: {} });
  const generator = await createSegmentInprocGenerator({ name: 'order', source });
  const { realm } = await source.describe('order');
  const { token, hash } = newToken();
  const client: Client = { name: 'shop', tokens: [hash], rights: ['issue', 'lease'] };
  const access = new Access([client]);
  const generators = { order: { generator, realm, lease: { source, sequence: 'order' } } };
  const handler = handlerWith({ generators }, { access, tallies: new Tallies() });
  const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
  const options = { url: 'http://ids', name: 'order', token, fetch };
  const ids = await (mode === 'ids'
    ? createHttpGenerator(options)
    : createHttpGenerator({ ...options, mode }));
  await ids.next();
  access.replace([{ ...client, idsPerMinute: 800 }]);
  const calls = Array.from({ length: asked }, () => ids.next());
  const late = Promise.allSettled(calls);
  expect(new Set(await Promise.all(calls.slice(0, served))).size).toBe(served);
  await ids.close();
  await late;
  await generator.close();
});
