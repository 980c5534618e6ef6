import {
  type RedisServer,
  startFaultProxy,
  startRedis,
  startRedisCluster,
  startRedisReplication,
} from '@ids/local-services';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Cluster, Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import type { RedisLike } from '../../src/index.js';
import { beforeServed } from '../support/before-served.js';
import { connectToCluster } from '../support/connect-in-process.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { MUTANTS, type Mutant, mutate } from '../support/mutant.js';
import { ResendingClient } from '../support/resending-client.js';

const STEP = 100;

/** Servers with one sequence on them, whose state can be lost. */
interface Site extends AsyncDisposable {
  readonly fixture: Fixture;
  readonly waitReplicas?: number;
  /** Whether the high-water mark survives the loss; it refuses a segment that was installed before. */
  readonly keepsMark: boolean;
  /** A new client, which finds the state wherever it is by then. */
  client(): RedisLike;
  /** Loses what the hash holds, or the reign that it belongs to. */
  lose(): Promise<void>;
  /** A field of the hash. */
  field(name: string): Promise<string | null>;
}

/** Runs each command on the client that is the right one at that time. */
function movingClient(current: () => RedisLike): RedisLike {
  return {
    evalsha: (...args) => current().evalsha(...args),
    eval: (...args) => current().eval(...args),
    pipeline: () => current().pipeline(),
  };
}

async function singleServer(
  lose: (admin: Redis, server: RedisServer) => unknown,
  { keepsMark = false } = {},
): Promise<Site> {
  const server = await startRedis();
  const fixture = new Fixture('ids:');
  const admin = fixture.client(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 10 });
  const { redis } = fixture.connect(server.url);
  return {
    fixture,
    keepsMark,
    client: () => movingClient(() => redis),
    lose: async () => void (await lose(admin, server)),
    field: (name: string) => admin.hget(fixture.key, name),
    [Symbol.asyncDispose]: async () => {
      await fixture[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/**
 * Each failover makes the other node the primary once it has all that was written; the
 * old primary follows it.
 */
async function pair(waitReplicas?: number): Promise<Site & { flush(): Promise<void> }> {
  const replication = await startRedisReplication();
  const fixture = new Fixture('ids:');
  const [replica = replication.primary] = replication.replicas;
  let [primary, standby] = [replication.primary, replica];
  const clients = new Map([primary, standby].map((server) => [server, fixture.client(server.url)]));
  const drivers = new Map([primary, standby].map((server) => [server, fixture.connect(server.url).redis]));
  const admin = (): Redis => clients.get(primary) as Redis;
  return {
    fixture,
    keepsMark: true,
    ...(waitReplicas !== undefined && { waitReplicas }),
    client: () => movingClient(() => drivers.get(primary) as RedisLike),
    field: (name) => admin().hget(fixture.key, name),
    flush: async () => void (await admin().flushall()),
    lose: async () => {
      expect(await admin().wait(1, 10_000)).toBe(1);
      await replication.promote(standby);
      [primary, standby] = [standby, primary];
      const demoted = clients.get(standby) as Redis;
      await demoted.replicaof(primary.host, primary.port);
      await expect
        .poll(() => demoted.info('replication'), { timeout: 30_000 })
        .toContain('master_link_status:up');
    },
    [Symbol.asyncDispose]: async () => {
      await fixture[Symbol.asyncDispose]();
      await replication.close();
    },
  };
}

const sites: Readonly<Record<string, () => Promise<Site>>> = {
  'the hash is flushed': () => singleServer((admin) => admin.flushall()),

  'Redis is killed and comes back empty': () =>
    singleServer(async (_admin, server) => {
      await server.kill();
      await server.restart();
    }),

  'Redis is killed and comes back with a dump': () =>
    singleServer(
      async (admin, server) => {
        await admin.save();
        await server.kill();
        await server.restart();
      },
      { keepsMark: true },
    ),

  'replicas in sync take over, one after the other': () => pair(),

  'the hash is flushed, and a replica must confirm each take': async () => {
    const site = await pair(1);
    return { ...site, keepsMark: false, lose: site.flush };
  },

  'its slot moves to another node of the cluster': async () => {
    const cluster = await startRedisCluster();
    const fixture = new Fixture('ids:');
    const connected = await connectToCluster(cluster.nodes);
    const admin = await connectToCluster(cluster.nodes, 'ioredis');
    const slot = await cluster.slotOfKey(fixture.key);
    return {
      fixture,
      keepsMark: true,
      client: () => connected.redis,
      field: (name: string) => (admin.client as Cluster).hget(fixture.key, name),
      lose: async () => {
        const owner = await cluster.ownerOfSlot(slot);
        const [to = owner] = cluster.nodes.filter((node) => node !== owner);
        await cluster.moveSlot(slot, to);
      },
      [Symbol.asyncDispose]: async () => {
        connected.disconnect();
        admin.disconnect();
        await fixture[Symbol.asyncDispose]();
        await cluster.close();
      },
    };
  },
};

/** Four processes on a site, of which the first two resend; the database is slow while `source` is shut. */
async function fourOn(site: Site, mutants: readonly Mutant[]) {
  const source = new GatedSource(site.fixture.source);
  const options = { source, step: STEP, deadlineMs: 60_000, lockMs: 50 };
  const client = () => (mutants.length === 0 ? site.client() : mutate(site.client(), ...mutants));
  const more = site.waitReplicas === undefined ? {} : { waitReplicas: site.waitReplicas };
  const resending = [new ResendingClient(client()), new ResendingClient(client())] as const;
  const open = (redis: RedisLike) => site.fixture.generator('', { ...options, ...more, redis });
  const a = await open(resending[0]);
  // The others find a segment, so none of them refills, or takes again after it refilled in vain: such a take
  // could begin a generation when no call is waiting.
  await a.ready();
  const [b, c, d] = [await open(resending[1]), await open(client()), await open(client())];
  return { source, a, b, c, d, clientOfA: resending[0], clientOfB: resending[1] };
}

/** Resolves when `debt` ids are booked, and none of `calls` was served. */
function booked(site: Site, debt: number, calls: readonly Promise<unknown>[]): Promise<void> {
  const booked = async () => Number(await site.field('d'));
  return beforeServed(
    calls,
    expect.poll(booked, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(debt),
  );
}

/**
 * The database is slow. The state is lost; a take of A begins a generation and its reply is lost; B
 * books in it; the state is lost again; A's take is sent again; C books. Returns what the three were
 * given, and the two generations.
 */
async function bookTwice(site: Site, ...mutants: readonly Mutant[]) {
  const { source, a, b, c, clientOfA, clientOfB } = await fourOn(site, mutants);
  const given = [...(await a.nextBatch(5)), ...(await b.nextBatch(5)), ...(await c.nextBatch(5))];
  await injectFault(() => source.shut());
  await injectFault(() => site.lose());
  const lost = faultsOff ? undefined : clientOfA.loseReplyOf('take');
  const ofA = a.nextBatch(5);
  await lost?.ran;
  // The loss may last longer than a call may: then A takes anew, but only after its first take is sent again.
  const goOnA = faultsOff ? undefined : await clientOfA.stall();
  await booked(site, 5, [ofA]);
  const first = await site.field('g');
  const ofB = b.nextBatch(5);
  await booked(site, 10, [ofA, ofB]);
  // B and C are slower than A: it is the first to come back.
  const goOnB = faultsOff ? undefined : await clientOfB.stall();
  await injectFault(() => site.lose());
  await lost?.resend();
  const second = await site.field('g');
  goOnA?.();
  goOnB?.();
  const ofC = c.nextBatch(5);
  await booked(site, 10, [ofA, ofB, ofC]);
  await source.close();
  given.push(...(await ofA), ...(await ofB), ...(await ofC));
  return { given, generations: [first, second] };
}

/**
 * The same, but B has lost the replies to a refill: its segment was installed and given from in the first
 * life of the generation, and its install is sent again in the second.
 */
async function installTwice(site: Site, ...mutants: readonly Mutant[]) {
  const { source, a, b, c, d, clientOfA, clientOfB } = await fourOn(site, mutants);
  await c.nextBatch(5);
  await injectFault(() => source.shut());
  await injectFault(() => site.lose());
  const lostTake = faultsOff ? undefined : clientOfA.loseReplyOf('take');
  const lostInstall = faultsOff ? undefined : clientOfB.loseReplyOf('install');
  const ofA = a.nextBatch(5);
  await lostTake?.ran;
  await booked(site, 5, [ofA]);
  // A does not know that it holds the lease; B gets it when that has lapsed.
  const ofB = b.nextBatch(5);
  await source.held();
  source.release();
  await lostInstall?.ran;
  const given = [...(await ofB), ...(await c.nextBatch(STEP / 2))];
  await injectFault(() => site.lose());
  await lostTake?.resend();
  await lostInstall?.resend();
  await source.close();
  // By a process that holds no id yet: the others refuse what is below their own.
  given.push(...(await d.nextBatch(STEP / 2)), ...(await ofA));
  return given;
}

/** Ids that were given more than once. */
function repeated(ids: readonly number[]): number[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

describe.each(Object.entries(sites))('a command that is sent again after %s', (_loss, start) => {
  faultTest('books no place twice', async () => {
    await using site = await start();
    const { given, generations } = await bookTwice(site);
    expect(given).toHaveLength(30);
    expect(repeated(given)).toEqual([]);
    expect(generations[0]).toMatch(/^[0-9a-f]{40}$/);
    expect(generations[1]).toMatch(/^[0-9a-f]{40}$/);
    expect(generations[1]).not.toBe(generations[0]);
  });

  faultTest('installs no segment twice', async () => {
    await using site = await start();
    const given = await installTwice(site);
    expect(given).toHaveLength(STEP + 10);
    expect(repeated(given)).toEqual([]);
  });

  faultTest(
    'would install one twice, if a generation were named by the request and no mark were left',
    async () => {
      await using site = await start();
      const given = repeated(await installTwice(site, MUTANTS.namedByRequest));
      expect(given.length > 0).toBe(!site.keepsMark);
    },
  );

  faultTest(
    'would book twice, if a generation were named by the request and collecting did not look for their debt',
    async () => {
      await using site = await start();
      const mutants = [MUTANTS.namedByRequest, MUTANTS.noDebtCheck];
      const { given, generations } = await bookTwice(site, ...mutants);
      expect(generations[1]).toBe(generations[0]);
      expect(repeated(given)).not.toEqual([]);
    },
  );
});

describe('ioredis', () => {
  faultTest('sends a take again whose reply was lost with its connection, and both runs count', async () => {
    await using server = await startRedis();
    await using proxy = await startFaultProxy({ target: server });
    await using fixture = new Fixture('ids:');
    const admin = fixture.client(server.url);
    const generator = await fixture.generator(proxy.url('redis'), { step: STEP });
    const [first = 0] = await generator.nextBatch(5);
    await injectFault(() => proxy.setMode('swallow-replies'));
    const next = generator.nextBatch(5);
    await expect.poll(() => admin.hget(fixture.key, 'v_l'), { timeout: 5_000 }).toBe(String(first + 10));
    await injectFault(() => proxy.setMode('pass'));
    await injectFault(() => proxy.cut());
    expect((await next)[0]).toBe(first + 10);
  });
});
