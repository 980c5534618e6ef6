import { type RedisServer, startRedis, startRedisReplication } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';

const KEYS = ['a', 'b', 'c'];

/** Each loses or takes back what Redis knows, and returns the server that serves from then on. */
const losses = {
  async FLUSHALL(server: RedisServer, between: () => Promise<void>) {
    await between();
    await injectFault(() => clientOf(server.url).flushall());
  },
  async 'the loss of all records but the family'(
    server: RedisServer,
    between: () => Promise<void>,
    family: KeyedFamily,
  ) {
    await between();
    await injectFault(() => clientOf(server.url).del(KEYS.map((key) => family.recordOf(key))));
  },
  async 'the loss of the record of the family'(
    server: RedisServer,
    between: () => Promise<void>,
    family: KeyedFamily,
  ) {
    await between();
    await injectFault(() => clientOf(server.url).del(family.recordOf()));
  },
  async 'a restart from an older dump'(server: RedisServer, between: () => Promise<void>) {
    await clientOf(server.url).save();
    await between();
    await injectFault(async () => {
      await server.kill();
      await server.restart();
    });
  },
};

/** What each is noticed as, by a process that remembers the keys, and by one that does not. */
const NOTICED: Record<keyof typeof losses, Record<string, readonly (string | undefined)[]>> = {
  FLUSHALL: { missing: ['remembers'] },
  'the loss of all records but the family': { missing: ['remembers'] },
  'the loss of the record of the family': { reign: ['remembers', 'forgot'] },
  'a restart from an older dump': { reign: ['remembers', 'forgot'] },
};

for (const [name, lose] of Object.entries(losses)) {
  describe(`keys after ${name}`, () => {
    for (const memory of ['remembers', 'forgot']) {
      faultTest(`repeat no id to a process that ${memory}`, async () => {
        await using server = await startRedis();
        const family = await KeyedFamily.create();
        const generator = await family.open(server.url);
        await family.take(generator, KEYS);
        await lose(server, () => family.take(generator, KEYS), family);
        await family.take(memory === 'remembers' ? generator : await family.open(server.url), KEYS);
        family.expectSound(15);
        // What was left is lost, so the database was asked again.
        expect(family.issued.get('a')?.at(-5)).toBe(21);
        const [[reason, by] = []] = Object.entries(NOTICED[name as keyof typeof losses]);
        expect(family.voids).toEqual(by?.includes(memory) ? { [reason as string]: KEYS.length } : {});
      });
    }
  });
}

describe('keys in a Redis that failed over', () => {
  async function lag() {
    const replication = await startRedisReplication({ throughProxy: true });
    onTestFinished(() => replication.close());
    const [replica, link] = [replication.replicas[0], replication.links[0]];
    if (replica === undefined || link === undefined) throw new Error('the replication has no replica');
    const family = await KeyedFamily.create();
    const former = await family.open(replication.primary.url);
    await family.take(former, KEYS);
    expect(await clientOf(replication.primary.url).wait(1, 5_000)).toBe(1);
    await injectFault(() => link.setMode('blackhole'));
    await family.take(former, KEYS);
    await injectFault(() => replication.promote(replica));
    expect((await clientOf(replica.url).role())[0]).toBe('master');
    return { family, former, replica };
  }

  faultTest('repeat no id after the promotion of a replica that lacks the last takes', async () => {
    const { family, replica } = await lag();
    await family.take(await family.open(replica.url), KEYS);
    family.expectSound(15);
    expect(family.voids).toEqual({ reign: KEYS.length });
  });

  faultTest('repeat no id beside a deposed primary that still serves a process', async () => {
    const { family, former, replica } = await lag();
    const latter = await family.open(replica.url);
    // More than is left in either of them, in turns.
    for (let i = 0; i < 4; i++) for (const process of [former, latter]) await family.take(process, KEYS, 15);
    for (const ids of family.issued.values()) expect(new Set(ids).size).toBe(ids.length);
    expect(family.issued.get('a')).toHaveLength(10 + 8 * 15);
    expect(family.voids).toEqual({ reign: KEYS.length });
  });

  faultTest('are issued by no primary that is cut off, if calls wait for its replica', async () => {
    const replication = await startRedisReplication({ throughProxy: true });
    onTestFinished(() => replication.close());
    const family = await KeyedFamily.create();
    const options = { waitReplicas: 1, deadlineMs: 3_000 };
    const former = await family.open(replication.primary.url, options);
    await family.take(former, KEYS);
    const replica = replication.replicas[0];
    if (replica === undefined) throw new Error('the replication has no replica');
    await injectFault(() => replication.links[0]?.setMode('blackhole'));
    await expect(former.next('a')).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('"waitReplicas"'),
    });
    await injectFault(() => replication.promote(replica));
    await family.take(await family.open(replica.url), KEYS);
    family.expectSound(10);
  });
});

describe('a record that is put in place of another', () => {
  faultTest('is noticed by a process that remembers greater ids, if it is an older one', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open();
    const redis = clientOf();
    await family.take(generator, ['a']);
    const older = await redis.dumpBuffer(family.recordOf('a'));
    await family.take(generator, ['a']);
    await injectFault(() => redis.restore(family.recordOf('a'), 0, older, 'REPLACE'));
    await family.take(generator, ['a']);
    family.expectSound(15);
    expect(family.voids).toEqual({ back: 1 });
  });

  // What is lost when a process forgets a key, and nobody else knows it: so `Limits` in the README.
  faultTest('is noticed by nobody, if all processes have forgotten the key', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    await family.take(await family.open(), ['a']);
    const older = await redis.dumpBuffer(family.recordOf('a'));
    await family.take(await family.open(), ['a']);
    await injectFault(() => redis.restore(family.recordOf('a'), 0, older, 'REPLACE'));
    await family.take(await family.open(), ['a']);
    expect(family.issued.get('a')?.slice(10)).toEqual(family.issued.get('a')?.slice(5, 10));
    expect(family.voids).toEqual({});
  });

  faultTest('does not count, if it is that of another key', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    await family.take(await family.open(), ['a', 'b']);
    await family.take(await family.open(), ['b'], 10);
    await injectFault(() => redis.copy(family.recordOf('a'), family.recordOf('b'), 'REPLACE'));
    await family.take(await family.open(), ['b']);
    const ids = family.issued.get('b') ?? [];
    expect(new Set(ids).size).toBe(20);
    expect(family.voids).toEqual({ reign: 1 });
  });
});
