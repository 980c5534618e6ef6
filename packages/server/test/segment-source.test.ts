import { runSegmentSourceContract } from '@ids/conformance';
import { HttpSegmentSource } from '@ids/http';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { SequenceMovedError } from '@ids/segment';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createTable } from './support/sequence.js';
import { serveHere } from './support/serve-in-process.js';
import { newToken } from './support/tokens.js';

const { token, hash } = newToken();
const server = await serveHere({
  clients: [{ name: 'contract', tokens: [hash], rights: ['lease', 'floor'] }],
  limits: { floorJump: 1_000_000_000 },
});
afterAll(() => server[Symbol.asyncDispose]());

runSegmentSourceContract(
  {
    name: 'HttpSegmentSource',
    open: async () => {
      // The names of cases recur.
      await server.clear();
      const table = await createTable(inject('databaseUrl'), uniqueName('http_source'));
      return {
        source: new HttpSegmentSource({ url: server.url, token }),
        createSequence: async (name: string, startAfter: number) => {
          await table.createSequence(name, startAfter);
          await server.serveSequence(table, name, 'increasing');
        },
      };
    },
  },
  { describe, it },
);

it('reserves nothing outside the reigns that are expected', async () => {
  await server.clear();
  const table = await createTable(inject('databaseUrl'), uniqueName('http_within'));
  await table.createSequence('order');
  await server.serveSequence(table, 'order', 'increasing');
  const source = new HttpSegmentSource({ url: server.url, token });
  const { origin: found } = await source.reserve('order', 10);
  const refused = source.reserve('order', 10, { within: { reigns: ['another'] } });
  await expect(refused).rejects.toThrow(SequenceMovedError);
  await expect(refused).rejects.toMatchObject({ maxId: 10, isElsewhere: false, found });
  expect(await source.reserve('order', 10, { within: found })).toMatchObject({ low: 11 });
});
