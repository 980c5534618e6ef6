import { openIds } from '@ids/config';
import { http } from '@ids/http';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, fromPgUrl } from '@ids/segment/sql';
import { expect, inject, it } from 'vitest';
import { startServer } from '../support/start-server.js';

const database = inject('databaseUrl');

it('issues ids by key, many keys in one request, also to a client that names it in its own config', async () => {
  const table = uniqueName('keyed');
  const executor = await fromPgUrl(database);
  await ensureKeyedSchema(executor, { table });
  await createSequence(executor, 'message', { table });
  await executor.close();
  const message = { strategy: 'segment-inproc', table, keyed: true, order: 'real-time' };
  await using server = await startServer({ database, generators: { message } });

  const post = async (calls: readonly object[]) => {
    const response = await fetch(`${server.url}/v1/ids`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ calls }),
    });
    return { status: response.status, body: await response.json() };
  };
  const many = await post([
    { generator: 'message', key: 'group:1', count: 2 },
    { generator: 'message', key: 'group:2', startAfter: 100 },
    { generator: 'message', key: 'group:1' },
    { generator: 'message' },
  ]);
  expect(many).toMatchObject({
    status: 200,
    body: {
      results: [{ ids: ['1', '2'] }, { ids: ['101'] }, { ids: ['3'] }, { problem: { status: 400 } }],
    },
  });
  const strategies = [http];
  const config = { generators: { message: { strategy: 'http', url: server.url, keyed: true } } };
  const ids = await openIds({ strategies, config });
  const messages = ids.keyed('message', { type: 'number' });
  expect(await Promise.all([messages.next('group:1'), messages.of('group:3').next()])).toEqual([4, 1]);
  expect([await messages.highest('group:2'), await messages.highest('none')]).toEqual([101, undefined]);
  await ids.close();

  const problem = { status: 400, body: { detail: 'generator "message" issues ids by key: give "key"' } };
  expect(await post([{ generator: 'message' }])).toMatchObject(problem);
});
