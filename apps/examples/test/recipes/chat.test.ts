import { randomUUID } from 'node:crypto';
import type { KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import { openPostgresPool, startFaultProxy, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, fromPg } from '@ids/segment/sql';
import { createKeyedSegmentInprocGenerator } from '@ids/segment-inproc';
import { createKeyedSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import Fastify, { type FastifyInstance } from 'fastify';
import type pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { addChatRoutes, CHAT_SCHEMA, send } from '../../src/recipes/chat.js';
import { ownSchema } from '../support/own-schema.js';

const GROUPS = ['cats', 'dogs'];

type Open = (database: string) => Promise<KeyedIdGenerator<number>>;

/** The name of the schema, which no other test has. */
function uniqueOf(database: string): string {
  return new URL(database).searchParams.get('options')?.split('=')[1] ?? '';
}

const strategies: readonly (readonly [name: string, open: Open])[] = [
  [
    'segment-inproc',
    (database) =>
      createKeyedSegmentInprocGenerator({ name: 'message', database, order: 'real-time', keyed: true }),
  ],
  [
    'segment-redis-db',
    (database) => {
      const redis = inject('redisUrl');
      const keyPrefix = `${uniqueOf(database)}:`;
      return createKeyedSegmentRedisDbGenerator({ name: 'message', database, redis, keyPrefix, keyed: true });
    },
  ],
];

async function openChat(): Promise<{ url: string; pool: pg.Pool }> {
  const schema = await ownSchema(inject('databaseUrl'));
  onTestFinished(() => schema[Symbol.asyncDispose]());
  const executor = fromPg(schema.pool);
  await ensureKeyedSchema(executor);
  await createSequence(executor, 'message');
  await schema.pool.query(CHAT_SCHEMA);
  await schema.pool.query('INSERT INTO chat_group SELECT unnest($1::text[])', [GROUPS]);
  return schema;
}

describe.each(strategies)('a chat with Fastify and %s', (_name, open) => {
  async function openNumbers(url: string): Promise<KeyedIdGenerator<number>> {
    const numbers = await open(url);
    onTestFinished(() => numbers.close());
    return numbers;
  }

  async function openApp(pool: pg.Pool, url: string): Promise<FastifyInstance> {
    const app = Fastify();
    addChatRoutes(app, pool, await openNumbers(url));
    onTestFinished(() => app.close());
    return app;
  }

  function post(app: FastifyInstance, group: string, clientId: string = randomUUID()) {
    const payload = { clientId, body: 'hello' };
    return app.inject({ method: 'POST', url: `/groups/${group}/messages`, payload });
  }

  it('numbers the messages of each group, and counts those that are not read', async () => {
    const { pool, url } = await openChat();
    const [one, other] = [await openApp(pool, url), await openApp(pool, url)];
    const unread = async (group: string, read: number) =>
      (await one.inject(`/groups/${group}/unread?read=${read}`)).json();
    expect(await unread('cats', 0)).toEqual({ unread: 0 });
    for (const [i, app] of [one, other, one].entries()) {
      const sent = await post(app, 'cats');
      expect([sent.statusCode, sent.json()]).toEqual([201, { number: i + 1 }]);
    }
    expect((await post(other, 'dogs')).json()).toEqual({ number: 1 });
    expect(await unread('cats', 1)).toEqual({ unread: 2 });
    expect(await unread('cats', 3)).toEqual({ unread: 0 });
    expect(await unread('dogs', 0)).toEqual({ unread: 1 });
  });

  it('begins no key for a group that does not exist', async () => {
    const { pool, url } = await openChat();
    const app = await openApp(pool, url);
    expect((await post(app, 'birds')).statusCode).toBe(404);
    const { rows } = await pool.query('SELECT 1 FROM id_segment_key');
    expect(rows).toEqual([]);
  });

  it('stores a message once that is sent several times at the same moment', async () => {
    const { pool, url } = await openChat();
    const apps = [await openApp(pool, url), await openApp(pool, url)];
    const clientId = randomUUID();
    const sent = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((i) => post(apps[i] as FastifyInstance, 'cats', clientId)),
    );
    const numbers = new Set(sent.map((one) => one.json().number));
    const { rows } = await pool.query(`SELECT number FROM message WHERE group_id = 'cats'`);
    expect(rows.map(({ number }) => Number(number))).toEqual([...numbers]);
    // A number that was not used is a gap, and no trouble for the next message.
    const next = (await post(apps[0] as FastifyInstance, 'cats')).json().number;
    expect(next).toBeGreaterThan([...numbers][0]);
  });

  faultTest('answers with the same number when the first answer was lost', async () => {
    const { pool, url } = await openChat();
    const { hostname: host, port } = new URL(url);
    const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
    onTestFinished(() => proxy.close());
    const behind = openPostgresPool(proxy.url(url), { max: 1 });
    behind.on('error', () => {
      // It is cut on purpose.
    });
    onTestFinished(() => behind.end());
    const numbers = await openNumbers(url);
    // The connection is lost after the number came, while the message is stored.
    const losing = {
      next: async (group: string) => {
        const number = await numbers.next(group);
        await injectFault(() => proxy.setMode('swallow-replies'));
        return number;
      },
    } as KeyedIdGenerator<number>;
    const message = { clientId: randomUUID(), body: uniqueName('hello') };
    const lost = expect(send(behind, losing, 'cats', message)).rejects.toThrow(/terminated|reset|closed/i);
    // It is judged below, also if it fails before that.
    lost.catch(() => undefined);
    const stored = async () => (await pool.query('SELECT number FROM message')).rows.length;
    await expect.poll(stored).toBe(1);
    await proxy.setMode('pass');
    proxy.cut();
    await lost;
    expect(await send(pool, numbers, 'cats', message)).toBe(1);
    expect(await stored()).toBe(1);
    // Nor was a second number taken for it.
    expect(await numbers.highest('cats')).toBe(1);
  });
});
