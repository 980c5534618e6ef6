import { startRedis, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { MemorySegmentSource } from '@ids/segment';
import { createSequence } from '@ids/segment/sql';
import { fromPgUrl } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { createSegmentRedisDbGenerator, MINIMAL_ACL, type SegmentRedisDbOptions } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const source = new MemorySegmentSource({ order: { startAfter: 0 } });

async function refusal(options: object): Promise<unknown> {
  return createSegmentRedisDbGenerator(options as SegmentRedisDbOptions).then(
    async (generator) => {
      await generator.close();
      return 'accepted';
    },
    (error: unknown) => error,
  );
}

describe('opening a dispenser', () => {
  const base = { name: 'order', redis, source };

  it.each([
    [
      { ...base, redis: 'localhost:6379' },
      'segment-redis-db: option "redis": must be a redis:// or rediss:// URL, or a client of ioredis or of node-redis 5 or later',
    ],
    [
      { ...base, redis: 5 },
      'segment-redis-db: option "redis": must be a redis:// or rediss:// URL, or a client of ioredis or of node-redis 5 or later, got a value of type number',
    ],
    [
      { ...base, keyPrefix: 'a{b}' },
      'segment-redis-db: option "keyPrefix": must be a string without braces and white space, got "a{b}"',
    ],
    [
      { ...base, keyPrefix: 5 },
      'segment-redis-db: option "keyPrefix": must be a string without braces and white space, got 5',
    ],
    [
      { ...base, lockMs: 1 },
      'segment-redis-db: option "lockMs": must be a whole number of milliseconds from 10 to 60000',
    ],
    [
      { ...base, waitReplicas: -1 },
      'segment-redis-db: option "waitReplicas": must be a whole number of replicas from 0 to 100',
    ],
    [{ ...base, onEvent: 'log' }, /option "onEvent": must be a function, got "log"/],
    [{ ...base, name: '' }, /option "name": must be/],
    [{ ...base, minStep: 0 }, /option "minStep": must be a whole number from 1/],
    [{ ...base, minStep: 10, maxStep: 5 }, /option "minStep": must be at most "maxStep", got 10/],
    [{ ...base, database }, 'segment-redis-db: give "database" or "source", not both'],
    [{ name: 'order', redis }, /give "database" .* or "source"/],
    [{ ...base, deadlinems: 5 }, /unknown option "deadlinems" \(did you mean "deadlineMs"\?/],
  ])('refuses %j', async (options, message) => {
    const error = await refusal(options);
    expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect((error as Error).message).toMatch(message);
  });

  it('never repeats a password in an error', async () => {
    for (const url of ['redis//me:hunter2@localhost', 'redis://me:hunter2@127.0.0.1:1']) {
      expect(String((await refusal({ ...base, redis: url })) as Error)).not.toContain('hunter2');
    }
  });

  it('says that nothing answers at a wrong address', async () => {
    expect(await refusal({ ...base, redis: 'redis://127.0.0.1:1' })).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(/^no Redis answers at 127\.0\.0\.1:1: .*ECONNREFUSED/),
    });
  });

  it('refuses a sequence that was never created', async () => {
    expect(await refusal({ ...base, name: 'ordre' })).toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });

  it('refuses a database without the table', async () => {
    const error = await refusal({ name: 'order', redis, database, table: uniqueName('no_table') });
    expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('ensureSchema') });
  });

  it('refuses a sequence whose ids belong to days, and says what to use instead', async () => {
    const days = await createContext(redis, database, uniqueName('days'));
    const executor = await fromPgUrl(database, { max: 1 });
    const group = { by: 'day', timeZone: 'Asia/Shanghai' } as const;
    await createSequence(executor, 'ticket', { table: days.table, group });
    await executor.close();
    expect(await refusal({ ...days, name: 'ticket' })).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/groups by day.*use segment-inproc/),
    });
  });

  it('refuses a key that holds something else', async () => {
    const keyPrefix = `${uniqueName('other')}:`;
    await using client = disposable(redis);
    await client.redis.set(`${keyPrefix}{order}`, 'hello');
    expect(await refusal({ ...base, keyPrefix })).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: `the Redis key "${keyPrefix}{order}" is not a hash of ids`,
    });
  });

  it('refuses a Redis key that belongs to another database', async () => {
    const unique = uniqueName('realm');
    const ours = await createContext(redis, database, unique);
    const theirs = await createContext(redis, database, `${unique}_2`);
    const generator = await createSegmentRedisDbGenerator(ours);
    await generator.next();
    await generator.close();
    expect(await refusal({ ...theirs, keyPrefix: ours.keyPrefix })).toMatchObject({
      code: 'ERR_IDS_REALM',
      retryable: false,
      message: expect.stringMatching(/ids doctor .*DEL/),
    });
  });
});

describe('the database of a Redis', () => {
  const base = { name: 'order', source };
  const databases = 16;

  it.each([databases, 99, -1])('is refused when the server has none with the index %d', async (index) => {
    const message = `option "redis": the server has no database ${index}: a whole number from 0`;
    const expected = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining(message) };
    expect(await refusal({ ...base, redis: `${redis}/${index}` })).toMatchObject(expected);
    await using client = disposable(redis, { db: index });
    client.redis.on('error', () => {
      // ioredis emits what SELECT answered, and goes on with database 0.
    });
    expect(await refusal({ ...base, redis: client.redis })).toMatchObject(expected);
  });

  it.each(['orders', '3a', '3/4'])('is refused when its index is no number: %s', async (index) => {
    expect(await refusal({ ...base, redis: `${redis}/${index}` })).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: `option "redis": the database in the URL must be a whole number, 0 or more, got "${index}"`,
    });
  });

  it('holds the hash when it exists', async () => {
    const keyPrefix = `${uniqueName('db')}:`;
    await using generator = await createSegmentRedisDbGenerator({
      ...base,
      redis: `${redis}/${databases - 1}`,
      keyPrefix,
    });
    await generator.next();
    await using chosen = disposable(redis, { db: databases - 1 });
    expect(await chosen.redis.keys(`${keyPrefix}*`)).toHaveLength(1);
    await using first = disposable(redis);
    expect(await first.redis.keys(`${keyPrefix}*`)).toHaveLength(0);
  });
});

describe('a Redis that restricts its users', () => {
  const acl = (rights: string) => `on >secret ~ids:* resetchannels -@all +hello +client +ping ${rights}`;

  /** Before that, `prepare` gets the URL of a user with all rights. */
  async function withUser<T>(
    rights: string,
    use: (url: string) => Promise<T>,
    prepare?: (url: string) => Promise<unknown>,
  ): Promise<T> {
    await using server = await startRedis();
    await prepare?.(server.url);
    await using admin = disposable(server.url);
    await admin.redis.call('ACL', 'SETUSER', 'dispenser', ...acl(rights).split(' '));
    return await use(server.url.replace('redis://', 'redis://dispenser:secret@'));
  }

  it('serves with the rights that are documented as the least', async () => {
    await withUser(MINIMAL_ACL, async (url) => {
      const generator = await createSegmentRedisDbGenerator({
        name: 'order',
        redis: url,
        source,
        minStep: 5,
        maxStep: 5,
      });
      expect(await generator.nextBatch(20)).toHaveLength(20);
      await generator.close();
    });
  });

  it.each(MINIMAL_ACL.split(' '))(
    'says at start which rights are needed when %s is missing',
    async (right) => {
      const rights = MINIMAL_ACL.split(' ').filter((other) => other !== right);
      const error = await withUser(rights.join(' '), (url) => refusal({ name: 'order', redis: url, source }));
      expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining(MINIMAL_ACL) });
    },
  );

  it.each(MINIMAL_ACL.split(' '))(
    'says so at start also when others have put ids there: without %s',
    async (right) => {
      const rights = MINIMAL_ACL.split(' ').filter((other) => other !== right);
      const inUse = async (redis: string) => {
        const generator = await createSegmentRedisDbGenerator({ name: 'order', redis, source });
        await generator.next();
        await generator.close();
      };
      const open = (url: string) => refusal({ name: 'order', redis: url, source });
      expect(await withUser(rights.join(' '), open, inUse)).toMatchObject({ code: 'ERR_IDS_CONFIG' });
    },
  );

  it('serves from another database than 0 with one right more, and asks for it', async () => {
    await withUser(MINIMAL_ACL, async (url) => {
      expect(await refusal({ name: 'order', redis: `${url}/3`, source })).toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringContaining('+select (for a database other than 0)'),
      });
    });
    await withUser(`${MINIMAL_ACL} +select`, async (url) => {
      expect(await refusal({ name: 'order', redis: `${url}/3`, source })).toBe('accepted');
    });
  });

  it('does not go on in database 0 when a later connection may not select another one', async () => {
    await using server = await startRedis();
    await using admin = disposable(server.url);
    await admin.redis.call('ACL', 'SETUSER', 'dispenser', ...acl(`${MINIMAL_ACL} +select`).split(' '));
    const url = server.url.replace('redis://', 'redis://dispenser:secret@');
    const generator = await createSegmentRedisDbGenerator({
      name: 'order',
      redis: `${url}/3`,
      source,
      deadlineMs: 500,
    });
    await admin.redis.call('ACL', 'SETUSER', 'dispenser', '-select');
    await admin.redis.client('KILL', 'USER', 'dispenser');
    await expect(generator.next()).rejects.toMatchObject({ retryable: true });
    await generator.close();
    expect(await admin.redis.keys('*')).toEqual([]);
  });

  it('says so when user or password are wrong', async () => {
    const error = await withUser(MINIMAL_ACL, (url) =>
      refusal({ name: 'order', redis: url.replace('secret', 'wrong'), source }),
    );
    expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('WRONGPASS') });
  });
});

function disposable(url: string, options: { readonly db?: number } = {}) {
  const client = new Redis(url, options);
  return { redis: client, [Symbol.asyncDispose]: async () => client.disconnect() };
}
