import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type RedisReplication,
  type RedisServer,
  startRedis,
  startRedisReplication,
} from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import * as scripts from '../../src/scripts.generated.js';
import { beforeServed } from '../support/before-served.js';
import { Fixture, fault } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';

/**
 * Each plays one way in which Redis goes back, and returns the ids that were given, in
 * the order of their issue.
 */
const faults = {
  async 'a restart from an older dump'(fixture: Fixture) {
    await using server = await startRedis();
    const given = await fixture.take(server.url, 5);
    await fixture.client(server.url).save();
    given.push(...(await fixture.take(server.url, 10)));
    await injectFault(async () => {
      await server.kill();
      await server.restart();
    });
    return [...given, ...(await fixture.take(server.url, 15))];
  },

  async 'a restart from an append-only file that lost its last kilobyte'(fixture: Fixture) {
    await using server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const given: number[] = [];
    // A take is some fifty bytes of the file.
    for (let i = 0; i < 25; i++) given.push(...(await fixture.take(server.url, 1)));
    await injectFault(async () => {
      await server.kill();
      await cutAppendOnlyFile(server.dir);
      await server.restart();
    });
    return [...given, ...(await fixture.take(server.url, 5))];
  },

  async 'a failover to a replica that lagged behind'(fixture: Fixture) {
    await using replication = await startRedisReplication({ throughProxy: true });
    const { given, replica } = await promoteLagging(fixture, replication);
    await injectFault(() => replication.primary.kill());
    return [...given, ...(await fixture.take(replica.url, 15))];
  },

  async 'a failover and a failback with no id given in between'(fixture: Fixture) {
    await using replication = await startRedisReplication({ throughProxy: true });
    const { given, replica } = await promoteLagging(fixture, replication);
    const demoted = fixture.client(replication.primary.url);
    await injectFault(async () => {
      await demoted.replicaof(replica.host, replica.port);
      await linkUp(demoted);
      await demoted.replicaof('NO', 'ONE');
    });
    return [...given, ...(await fixture.take(replication.primary.url, 15))];
  },
};

/**
 * Waits until a replica has the data of its primary: without a limit in time, as a slow
 * machine takes long for it.
 */
async function linkUp(replica: Redis): Promise<void> {
  while (!(await replica.info('replication')).includes('master_link_status:up'));
}

async function cutAppendOnlyFile(dir: string): Promise<void> {
  const folder = join(dir, 'appendonlydir');
  const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof'));
  if (name === undefined) throw new Error(`no append-only file in ${folder}`);
  const file = join(folder, name);
  await truncate(file, (await stat(file)).size - 1024);
}

/** Ten ids reach the replica, five more do not, and then the replica becomes a primary. */
async function promoteLagging(fixture: Fixture, replication: RedisReplication) {
  const given = await takeReplicated(fixture, replication, 10);
  await injectFault(() => replication.links[0]?.setMode('blackhole'));
  given.push(...(await fixture.take(replication.primary.url, 5)));
  const replica = firstReplica(replication);
  await injectFault(() => replication.promote(replica));
  expect(await roleOf(fixture, replica)).toBe('master');
  return { given, replica };
}

/** `master` or `slave`. */
async function roleOf(fixture: Fixture, { url }: RedisServer): Promise<unknown> {
  return (await fixture.client(url).role())[0];
}

function firstReplica({ replicas: [replica] }: RedisReplication) {
  if (replica === undefined) throw new Error('the replication has no replica');
  return replica;
}

/** Takes ids from the primary and waits until the replica has heard of them. */
async function takeReplicated(
  fixture: Fixture,
  { primary }: RedisReplication,
  count: number,
): Promise<number[]> {
  const ids = await fixture.take(primary.url, count);
  const acknowledged = await fixture.client(primary.url).wait(1, 5_000);
  expect(acknowledged).toBe(1);
  return ids;
}

describe('a sequence whose Redis went back', () => {
  for (const [name, play] of Object.entries(faults)) {
    faultTest(`gives no id twice and none out of order after ${name}`, async () => {
      await using fixture = new Fixture('ids:');
      const ids = await play(fixture);
      expect(ids).toHaveLength(30);
      expect(fault(ids)).toBeUndefined();
      expect(fixture.voids).toEqual(['reign']);
    });
  }

  const fatal: readonly [keyof typeof faults, Mutant][] = [
    ['a restart from an older dump', MUTANTS.noFence],
    ['a restart from an append-only file that lost its last kilobyte', MUTANTS.noFence],
    ['a failover to a replica that lagged behind', MUTANTS.noFence],
    ['a failover and a failback with no id given in between', MUTANTS.noFence],
    ['a failover and a failback with no id given in between', MUTANTS.runIdFence],
  ];
  for (const [name, mutant] of fatal) {
    faultTest(`would repeat ids after ${name} ${mutant.name}`, async () => {
      await using fixture = new Fixture('ids:', mutant);
      expect(fault(await faults[name](fixture))).toMatch(/given twice/);
    });
  }
});

describe('a sequence in split brain', () => {
  faultTest('gives no id twice from the two primaries', async () => {
    await using fixture = new Fixture('ids:');
    await using replication = await startRedisReplication();
    const replica = firstReplica(replication);
    const given = await takeReplicated(fixture, replication, 10);
    await injectFault(() => replication.promote(replica));
    expect(await roleOf(fixture, replica)).toBe('master');
    for (const server of [replication.primary, replica, replication.primary, replica])
      given.push(...(await fixture.take(server.url, 5)));
    expect(fault(given.sort((a, b) => a - b))).toBeUndefined();
    expect(fixture.voids).toEqual(['reign']);
  });
});

describe('a replica', () => {
  const play = async (fixture: Fixture) => {
    await using replication = await startRedisReplication();
    const replica = firstReplica(replication);
    const writer = fixture.client(replica.url);
    await injectFault(() => writer.config('SET', 'replica-read-only', 'no'));
    await expect(writer.set('writable', 'yes')).resolves.toBe('OK');
    const given = await takeReplicated(fixture, replication, 10);
    given.push(...(await fixture.take(replica.url, 5)));
    return [...given, ...(await fixture.take(replication.primary.url, 5))];
  };

  faultTest('gives no ids, even when it is writable', async () => {
    await using fixture = new Fixture('ids:');
    await expect(play(fixture)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
  });

  faultTest('runs no script of ours, even when it is writable', async () => {
    await using fixture = new Fixture('ids:');
    await using replication = await startRedisReplication();
    await takeReplicated(fixture, replication, 10);
    const writer = fixture.client(firstReplica(replication).url);
    await injectFault(() => writer.config('SET', 'replica-read-only', 'no'));
    // A lease that the script `release` would give back.
    await expect(writer.hset(fixture.key, 'k', 'holder')).resolves.toBe(0);
    const before = await writer.hgetall(fixture.key);
    const { g: generation = '' } = before;
    const mark = Number(before.m);
    const argumentsOf: Record<keyof typeof scripts, (string | number)[]> = {
      probe: [],
      take: [1, 'nonce', 'holder', 1, 1_000, 5, 0, 0, 100, 'realm', 'owner', ''],
      collect: [generation, 0, 0, 0, 'holder', 1, 1_000, 'owner', 1],
      install: [generation, 'holder', mark + 1, mark + 10, 1_000_000, 0, ''],
      release: [generation, 'holder'],
      inspect: [],
    };
    for (const { name, text } of Object.values(scripts)) {
      const run = writer.eval(text, 1, fixture.key, ...argumentsOf[name as keyof typeof scripts]);
      await expect(run, name).rejects.toThrow('READONLY ids: a replica must not give ids');
    }
    expect(await writer.hgetall(fixture.key)).toEqual(before);
  });

  faultTest('would repeat ids without the role check', async () => {
    await using fixture = new Fixture('ids:', MUTANTS.noRoleCheck);
    expect(fault(await play(fixture))).toMatch(/given twice/);
  });
});

/** What nothing inside Redis can tell: the same process, in the same reign, with an older hash. */
const rewinds = {
  async 'DEBUG RELOAD NOSAVE'(redis: Redis, _key: string, between: () => Promise<void>) {
    await redis.save();
    await between();
    await injectFault(() => redis.call('DEBUG', 'RELOAD', 'NOSAVE'));
  },
  async 'RESTORE of an older dump'(redis: Redis, key: string, between: () => Promise<void>) {
    const dump = await redis.dumpBuffer(key);
    await between();
    await injectFault(() => redis.restore(key, 0, dump, 'REPLACE'));
  },
};

describe.each(Object.entries(rewinds))('%s on a dispensing Redis', (_name, rewind) => {
  async function play(fixture: Fixture, next: (url: string) => Promise<number[]>) {
    await using server = await startRedis({ args: ['--enable-debug-command', 'local'] });
    const given = await next(server.url);
    await rewind(fixture.client(server.url), fixture.key, async () => {
      given.push(...(await next(server.url)));
    });
    return [...given, ...(await next(server.url))];
  }

  faultTest('is noticed by a process that holds a greater id', async () => {
    await using fixture = new Fixture('ids:');
    let generator: Awaited<ReturnType<Fixture['generator']>> | undefined;
    const ids = await play(fixture, async (url) => {
      generator ??= await fixture.generator(url);
      return generator.nextBatch(5);
    });
    expect(fault(ids)).toBeUndefined();
    expect(fixture.voids).toEqual(['back']);
  });

  faultTest('repeats ids to a process that remembers nothing: the limit that is documented', async () => {
    await using fixture = new Fixture('ids:');
    expect(fault(await play(fixture, (url) => fixture.take(url, 5)))).toMatch(/given twice/);
  });
});

describe('an older copy of the hash that is put back while calls wait for a segment', () => {
  /** What two processes got that had booked ids, and what was reserved in vain. */
  async function play(fixture: Fixture) {
    await using server = await startRedis();
    const source = new GatedSource(fixture.source);
    const options = { source, step: 10, lockMs: 60_000, deadlineMs: 60_000 };
    const redis = fixture.client(server.url);
    const a = await fixture.generator(server.url, options);
    const given = await a.nextBatch(1);
    const older = await redis.dumpBuffer(fixture.key);
    const b = await fixture.generator(server.url, options);
    source.shut();
    given.push(...(await a.nextBatch(8)), ...(await b.nextBatch(1)));
    const givingUp = new AbortController();
    const calls = [a, b].map((generator) => generator.nextBatch(5, { signal: givingUp.signal }));
    await beforeServed(calls, source.held());
    const booked = vi.waitUntil(async () => (await redis.hget(fixture.key, 'd')) === '10', 60_000);
    await beforeServed(
      calls,
      booked.then(() => {}),
    );
    await injectFault(() => redis.restore(fixture.key, 0, older, 'REPLACE'));
    await source.close();
    // Until they are served, or it is plain that they never will be.
    let settled = false;
    void Promise.allSettled(calls).then(() => {
      settled = true;
    });
    await vi.waitUntil(() => settled || fixture.discarded.length > 3, 60_000);
    givingUp.abort();
    const ended = await Promise.allSettled(calls);
    // The two waited side by side: either may have been served first.
    const served = ended.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : []));
    given.push(...served.sort(([a = 0], [b = 0]) => a - b).flat());
    return { given, inVain: fixture.discarded.length };
  }

  faultTest('voids the bookings it knows nothing of: the calls take again', async () => {
    await using fixture = new Fixture('ids:');
    const { given, inVain } = await play(fixture);
    expect(fixture.voids).toEqual(['back']);
    expect(fault(given)).toBeUndefined();
    expect(given).toHaveLength(20);
    expect(inVain).toBe(1);
  });

  faultTest(
    'would have segment after segment reserved that finds no room, if collecting did not look',
    async () => {
      await using fixture = new Fixture('ids:', MUTANTS.noDebtCheck);
      const { given, inVain } = await play(fixture);
      expect(given).toHaveLength(10);
      expect(inVain).toBeGreaterThan(3);
    },
  );
});
