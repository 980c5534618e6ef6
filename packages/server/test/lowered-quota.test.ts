import { createHttpGenerator, createKeyedHttpGenerator } from '@ids/http';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, it } from 'vitest';
import { Access, type Client } from '../src/access.js';
import { handlerWith } from '../src/handler.js';
import type { ServedGenerator } from '../src/served.js';
import { Tallies } from '../src/tally.js';
import { openMemoryFamily } from './support/memory-family.js';
import { newToken } from './support/tokens.js';

/** What a client of these generators needs, and what gives it a quota. */
function serve(generators: Readonly<Record<string, ServedGenerator>>) {
  const { token, hash } = newToken();
  const client: Client = { name: 'shop', tokens: [hash], rights: ['issue', 'lease'] };
  const access = new Access([client]);
  const handler = handlerWith({ generators }, { access, tallies: new Tallies() });
  const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
  const lower = (idsPerMinute: number) => access.replace([{ ...client, idsPerMinute }]);
  return { options: { url: 'http://ids', token, fetch }, lower };
}

it.each([
  // What is left over waits for the next minute.
  ['ids', 800, 850],
  // The rest of the first range, and some of the next one.
  ['segments', 1_700, 1_700],
] as const)('a client that asks for %s goes on when its quota is lowered', async (mode, enough, asked) => {
  const source = new MemorySegmentSource({ order: {} });
  const generator = await createSegmentInprocGenerator({ name: 'order', source });
  const { realm } = await source.describe('order');
  const served = { generator, realm, lease: { source, sequence: 'order' } };
  const { options, lower } = serve({ order: served });
  const ids = await (mode === 'ids'
    ? createHttpGenerator({ ...options, name: 'order' })
    : createHttpGenerator({ ...options, name: 'order', mode }));
  await ids.next();
  lower(800);
  const calls = Array.from({ length: asked }, () => ids.next());
  const late = Promise.allSettled(calls);
  expect(new Set(await Promise.all(calls.slice(0, enough))).size).toBe(enough);
  await ids.close();
  await late;
  await generator.close();
});

it('a client that asks by key goes on when its quota is lowered', async () => {
  const generator = await openMemoryFamily();
  const { options, lower } = serve({ message: { generator, realm: 'memory' } });
  const ids = await createKeyedHttpGenerator({ ...options, name: 'message', keyed: true });
  lower(100);
  const calls = Array.from({ length: 300 }, (_, key) => ids.next(`key-${key}`));
  const late = Promise.allSettled(calls);
  await expect.poll(() => ids.counters?.().idsIssued).toBe(100);
  await ids.close();
  await late;
  await generator.close();
});
