import { type RedisServer, startRedis, startRedisReplication } from '@ids/local-services';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/random.js';
import { RedisNode } from '../../src/redis/redis-node.js';
import { Scheduler } from '../../src/time/scheduler.js';

/** Counts the commands that a script runs, as the server counts them. */
const COUNT = `local function count() return tonumber(string.match(redis.call('INFO', 'stats'), 'total_commands_processed:(%d+)')) end
local before = count() redis.call('HSET', KEYS[1], 'f', 'v') redis.call('TIME') return count() - before`;

describe('a simulated server changes its reign as a real one', () => {
  it('when it starts again with a dump, and never had a replica', async () => {
    await using server = await startRedis();
    const real = await restartedWithDump(server, simulated('A'));
    expect(real).toMatchObject({ role: 'master', replid: 'new', replid2: 'none', runId: 'new' });
  });

  it('when it starts again with a dump, and had a replica', async () => {
    await using group = await startRedisReplication();
    const node = simulated('A');
    simulated('B').follow(node, 0);
    const real = await restartedWithDump(group.primary, node);
    expect(real).toMatchObject({ role: 'master', replid: 'new', replid2: 'the former replid', runId: 'new' });
  });

  it('when a replica is promoted', async () => {
    await using group = await startRedisReplication();
    const [replica] = group.replicas;
    if (replica === undefined) throw new Error('no replica');
    const [primary, follower] = [simulated('A'), simulated('B')];
    follower.follow(primary, 0);
    const [realBefore, simulatedBefore] = [await infoOf(replica), infoOfNode(follower)];
    expect(realBefore.role).toBe('slave');
    expect(realBefore.replid).toBe((await infoOf(group.primary)).replid);
    expect(simulatedBefore.replid).toBe(infoOfNode(primary).replid);
    await ask(replica, (client) => client.replicaof('NO', 'ONE'));
    follower.promote();
    const real = change(realBefore, await infoOf(replica));
    expect(change(simulatedBefore, infoOfNode(follower))).toEqual(real);
    expect(real).toMatchObject({
      role: 'master',
      replid: 'new',
      replid2: 'the former replid',
      runId: 'same',
    });
  });

  it('but for a replica that accepts writes, which stay its own', async () => {
    await using group = await startRedisReplication();
    const [replica] = group.replicas;
    if (replica === undefined) throw new Error('no replica');
    const follower = simulated('B', { writableReplica: true });
    follower.follow(simulated('A'), 0);
    const before = follower.offset;
    await ask(replica, (client) => client.config('SET', 'replica-read-only', 'no'));
    const write = "return redis.call('HSET', KEYS[1], 'f', 'v')";
    expect(follower.execute(['EVAL', write, '1', 'k'])).toBe(1);
    expect(await ask(replica, (client) => client.eval(write, 1, 'k'))).toBe(1);
    expect((await infoOf(replica)).role).toBe('slave');
    expect(infoOfNode(follower).role).toBe('slave');
    expect(follower.offset).toBe(before);
    expect(await ask(group.primary, (client) => client.exists('k'))).toBe(0);
  });

  it('and counts the commands of scripts alike', async () => {
    await using server = await startRedis();
    const real = await ask(server, (client) => client.eval(COUNT, 1, 'k'));
    expect(simulated('A').execute(['EVAL', COUNT, '1', 'k'])).toBe(real);
  });
});

/** Lets both save, end and start again, and compares what became of them. */
async function restartedWithDump(server: RedisServer, node: RedisNode): Promise<Record<string, string>> {
  const [realBefore, simulatedBefore] = [await infoOf(server), infoOfNode(node)];
  await ask(server, (client) => client.save());
  const dump = node.dump();
  await server.kill();
  await server.restart();
  node.kill();
  node.start(dump);
  const real = change(realBefore, await infoOf(server));
  expect(change(simulatedBefore, infoOfNode(node))).toEqual(real);
  return real;
}

interface Info {
  readonly role: string;
  readonly replid: string;
  readonly replid2: string;
  readonly secondOffset: number;
  readonly runId: string;
}

/** What became of each field; ids themselves differ between any two servers. */
function change(before: Info, after: Info): Record<string, string> {
  return {
    role: after.role,
    replid: after.replid === before.replid ? 'same' : 'new',
    replid2:
      after.replid2 === before.replid ? 'the former replid' : /^0+$/.test(after.replid2) ? 'none' : 'another',
    secondOffset: after.secondOffset < 0 ? 'none' : 'set',
    runId: after.runId === before.runId ? 'same' : 'new',
  };
}

async function infoOf(server: RedisServer): Promise<Info> {
  return parsed(await ask(server, (client) => client.info()));
}

function infoOfNode(node: RedisNode): Info {
  return parsed(String(node.execute(['INFO'])));
}

function parsed(text: string): Info {
  const field = (name: string) => new RegExp(`^${name}:(.*)\\r$`, 'm').exec(text)?.[1] ?? '';
  return {
    role: field('role'),
    replid: field('master_replid'),
    replid2: field('master_replid2'),
    secondOffset: Number(field('second_repl_offset')),
    runId: field('run_id'),
  };
}

async function ask<T>(server: RedisServer, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(server.url);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}

function simulated(name: string, { writableReplica = false } = {}): RedisNode {
  const random = new Random(1, name);
  return new RedisNode({ name, scheduler: new Scheduler(), random, cpuTickUs: 1, writableReplica });
}
