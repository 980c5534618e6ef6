import { ensureKeyedSchema } from '@ids/keyed/sql';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { expect, inject, it } from 'vitest';
import { startServer } from '../support/start-server.js';

const database = inject('databaseUrl');

it('says who issued an id, from the grant log of its table, also by key and of encoded ids', async () => {
  const table = uniqueName('provenance');
  const executor = await fromPgUrl(database);
  await ensureKeyedSchema(executor, { table, log: true });
  await ensureSchema(executor, { table, log: true });
  for (const name of ['order', 'ticket', 'message']) await createSequence(executor, name, { table });
  await executor.close();
  const logged = { strategy: 'segment-inproc', table, log: true, owner: 'till-7', order: 'real-time' };
  await using server = await startServer({
    database,
    generators: {
      order: { ...logged, encode: { prefix: 'O-' } },
      message: { ...logged, keyed: true },
      ticket: { ...logged, log: false },
    },
  });
  const issue = async (call: object) =>
    fetch(`${server.url}/v1/ids`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ calls: [call] }),
    });
  const ask = async (query: Readonly<Record<string, string>>) => {
    const response = await fetch(`${server.url}/v1/provenance?${new URLSearchParams(query)}`);
    return { status: response.status, body: (await response.json()) as { readonly parts?: unknown } };
  };
  const granted = (segment: string) => ({
    status: 200,
    body: {
      parts: [{ name: 'owner', value: 'till-7' }, { name: 'segment', value: segment }, { name: 'granted' }],
    },
  });
  await issue({ generator: 'order', count: 3 });
  await issue({ generator: 'message', key: 'group:1', count: 2 });
  expect(await ask({ name: 'order', id: 'O-2' })).toMatchObject(granted('1..3'));
  expect(await ask({ name: 'message', key: 'group:1', id: '2' })).toMatchObject(granted('1..2'));
  const nobody = {
    body: { parts: [{ name: 'owner', value: expect.stringMatching(/^unknown: .*above/) }] },
  };
  expect(await ask({ name: 'order', id: 'O-4' })).toMatchObject(nobody);
  expect(await ask({ name: 'ticket', id: '1' })).toMatchObject({
    status: 409,
    body: { code: 'ERR_IDS_UNMET' },
  });
});
