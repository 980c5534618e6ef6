import { runSegmentSourceContract } from '@ids/conformance';
import { HttpSegmentSource } from '@ids/http';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { afterAll, describe, inject, it } from 'vitest';
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
