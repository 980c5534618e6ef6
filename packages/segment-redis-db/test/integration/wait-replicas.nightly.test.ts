import {
  type RedisReplication,
  startFaultProxy,
  startRedis,
  startRedisReplication,
} from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import { createSegmentRedisDbGenerator, MINIMAL_ACL } from '../../src/index.js';
import { inspect } from '../../src/scripts.generated.js';
import { evaluateConfirmed } from '../../src/scripts.js';
import { beforeServed } from '../support/before-served.js';
import { REDIS_CLIENTS } from '../support/client-names.js';
import { connectWith } from '../support/connect-with.js';
import { Fixture, fault } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { unpipelined } from '../support/mutant.js';

/**
 * Cuts the replica off and makes it a primary, which gets a replica of its own; the old
 * primary serves on, alone.
 */
async function splitBrain(fixture: Fixture, replication: RedisReplication) {
  const [replica] = replication.replicas;
  if (replica === undefined) throw new Error('the replication has no replica');
  await injectFault(async () => {
    await replication.links[0]?.setMode('blackhole');
    await replication.promote(replica);
  });
  expect((await fixture.client(replica.url).role())[0]).toBe('master');
  return replica;
}

/**
 * The ids of two generators, one at each primary of a split brain, asked in turn; a
 * call that fails gives none.
 */
async function playSplitBrain(fixture: Fixture, waitReplicas: number) {
  await using replication = await startRedisReplication({ throughProxy: true });
  const old = await fixture.generator(replication.primary.url, { waitReplicas, deadlineMs: 1_500 });
  const given: number[] = await old.nextBatch(10);
  const promoted = await splitBrain(fixture, replication);
  await using _replica = await startRedis({ args: ['--replicaof', promoted.host, String(promoted.port)] });
  const young = await fixture.generator(promoted.url, { waitReplicas });
  const refusals: unknown[] = [];
  for (const generator of [old, young, old, young]) {
    await generator.nextBatch(5).then(
      (ids) => given.push(...ids),
      (error: unknown) => refusals.push(error),
    );
  }
  return { given, refusals };
}

describe.each(REDIS_CLIENTS)('waitReplicas in split brain, with %s', (client) => {
  connectWith(client);

  faultTest('keeps the order: the isolated primary gives nothing and says why', async () => {
    await using fixture = new Fixture('ids:');
    const { given, refusals } = await playSplitBrain(fixture, 1);
    expect(given).toHaveLength(20);
    expect(fault(given)).toBeUndefined();
    expect(refusals).toHaveLength(2);
    expect(refusals[0]).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining(
        'only 0 of the 1 replicas that "waitReplicas" requires confirmed in time',
      ),
    });
  });

  faultTest('is what keeps the order: without it both primaries give ids', async () => {
    await using fixture = new Fixture('ids:');
    const { given, refusals } = await playSplitBrain(fixture, 0);
    expect(refusals).toEqual([]);
    expect(new Set(given).size).toBe(30);
    expect(fault(given)).toMatch(/given after/);
  });
});

describe('a booking under waitReplicas', () => {
  faultTest('is not served by a primary that was cut off from its replica', async () => {
    await using fixture = new Fixture('ids:');
    await using replication = await startRedisReplication({ throughProxy: true });
    const source = new GatedSource(fixture.source);
    const options = { source, waitReplicas: 1, deadlineMs: 3_000, step: 10 };
    const generator = await fixture.generator(replication.primary.url, options);
    await generator.ready();
    source.shut();
    const given = await generator.nextBatch(10);
    const call = generator.nextBatch(50);
    const admin = fixture.client(replication.primary.url);
    const debt = async () => Number(await admin.hget(fixture.key, 'd'));
    await beforeServed([call], expect.poll(debt).toBeGreaterThan(0));
    // The replica has confirmed what was written after the booking, so the booking too. The segment that
    // serves it comes when the replica is cut off.
    await admin.set(`${fixture.key}:later`, 1);
    expect(await admin.wait(1, 0)).toBe(1);
    await injectFault(() => replication.links[0]?.setMode('blackhole'));
    await source.close();
    await expect(call).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('only 0 of the 1 replicas'),
    });
    expect(await debt(), 'ids that are booked and have no segment').toBe(0);
    await injectFault(() => replication.links[0]?.setMode('pass'));
    given.push(...(await generator.nextBatch(50)));
    expect(fault(given)).toBeUndefined();
  });
});

/** What a call gets whose WAIT was sent on its own and was under way when the connection broke. */
const SENT_SINGLY = {
  // Sent again, as the first command of a connection that has written nothing: nothing is to be confirmed.
  ioredis: 'an id',
  // Rejected, as each command that was sent: the call takes again, and waits for the replica in vain.
  'node-redis': expect.stringContaining('waitReplicas'),
};

describe.each(REDIS_CLIENTS)('a connection that is cut while the replica is waited for, with %s,', (name) => {
  connectWith(name);

  async function play(fixture: Fixture, decorate: typeof unpipelined | undefined) {
    await using replication = await startRedisReplication({ throughProxy: true });
    const { primary } = replication;
    await using proxy = await startFaultProxy({ target: primary });
    // So that a command which is sent again is the first on the next connection.
    const connected = fixture.connect(proxy.url('redis'), { bare: true });
    const generator = await fixture.generator(proxy.url('redis'), {
      redis: decorate?.(connected) ?? connected.client,
      waitReplicas: 1,
      deadlineMs: 1_500,
    });
    await generator.next();
    await injectFault(() => replication.links[0]?.setMode('blackhole'));
    let settled = false;
    const outcome = generator
      .next()
      .then(
        () => 'an id',
        (error: Error) => error.message,
      )
      .finally(() => {
        settled = true;
      });
    const admin = fixture.client(primary.url);
    while (!settled && !/cmd=wait/.test(String(await admin.client('LIST'))));
    const cut = await injectFault(() => {
      proxy.cut();
      return !settled;
    });
    expect(cut, 'cut while the replica was waited for').toBe(true);
    return await outcome;
  }

  faultTest('gives no id', async () => {
    await using fixture = new Fixture('ids:');
    expect(await play(fixture, undefined)).toContain('waitReplicas');
  });

  faultTest('would give one with ioredis if the two commands did not share a pipeline', async () => {
    await using fixture = new Fixture('ids:');
    expect(await play(fixture, unpipelined)).toEqual(SENT_SINGLY[name]);
  });
});

describe('a replica that is down', () => {
  /** Two replicas, of which one is down. Nobody has run a script yet. */
  async function withOneDown() {
    const replication = await startRedisReplication({ replicas: 2 });
    await injectFault(() => replication.replicas[0]?.kill());
    return replication;
  }

  faultTest('does not matter where enough others are there', async () => {
    await using fixture = new Fixture('ids:');
    await using replication = await withOneDown();
    const generator = await fixture.generator(replication.primary.url, { waitReplicas: 1 });
    expect(await generator.nextBatch(5)).toEqual([1, 2, 3, 4, 5]);
    expect(await fixture.client(replication.primary.url).wait(2, 1)).toBe(1);
  });

  faultTest('lets a generator open that needs it, whose calls say what is missing', async () => {
    await using fixture = new Fixture('ids:');
    await using replication = await withOneDown();
    const generator = await fixture.generator(replication.primary.url, {
      waitReplicas: 2,
      deadlineMs: 1_500,
    });
    await expect(generator.next()).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('only 1 of the 2 replicas that "waitReplicas" requires'),
    });
  });

  faultTest(
    'leaves a call an answer that waits twice, since the server does not know its script',
    async () => {
      await using fixture = new Fixture('ids:');
      await using replication = await withOneDown();
      const { redis } = fixture.connect(replication.primary.url);
      expect(await evaluateConfirmed(redis, 2, inspect, fixture.key, [])).toMatchObject({ replicas: 1 });
    },
  );
});

describe('the right to wait', () => {
  it('is asked for at start, by name', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const user = (rights: string) =>
      fixture
        .client(server.url)
        .acl('SETUSER', 'app', 'reset', 'on', '>secret', '~ids:*', ...rights.split(' '));
    const open = () =>
      createSegmentRedisDbGenerator({
        name: 'order',
        redis: `redis://app:secret@${server.host}:${server.port}`,
        source: fixture.source,
        waitReplicas: 1,
      });
    await user(MINIMAL_ACL);
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('+wait (for "waitReplicas")'),
    });
    await user(`${MINIMAL_ACL} +wait`);
    await (await open()).close();
  });
});
