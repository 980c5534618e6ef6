import { readFileSync } from 'node:fs';
import { assertHistory, type History, startProcesses } from '@ids/conformance';
import { type RedisCluster, startRedisCluster, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator, MINIMAL_ACL } from '../../src/index.js';
import { currentClient, REDIS_CLIENTS } from '../support/client-names.js';
import type { ClusterContext } from '../support/cluster-subject.js';
import { connectToCluster } from '../support/connect-in-process.js';
import { connectWith } from '../support/connect-with.js';
import { quiet } from '../support/connected-client.js';
import { Fixture, fault } from '../support/fixture.js';
import { ForgetfulSequence } from '../support/forgetful-sequence.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';
import { createContext } from '../support/subject.js';

const LEVELS = ['unique', 'real-time', 'increasing', 'fifo'] as const;

/** Ids by which a fault must have been felt. */
const LIMIT = 5_000;

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster({ replicasPerMaster: 1 });
});
afterAll(() => cluster?.close());

/** Four processes, eight callers each, with a Cluster client each. */
async function load(name: string) {
  const { redis: _, ...rest } = await createContext('', inject('databaseUrl'), uniqueName(name));
  const context: ClusterContext = {
    ...rest,
    client: currentClient(),
    nodes: cluster.nodes.map(({ host, port }) => ({ host, port })),
  };
  const module = new URL('../support/cluster-subject.ts', import.meta.url);
  const recording = await startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
  return { recording, slot: await cluster.slotOfKey(`${context.keyPrefix}{${context.name}}`) };
}

function assertSound(history: History): void {
  assertHistory(history, { levels: LEVELS });
  expect(history.records.length).toBeGreaterThan(1_000);
}

/** The masters that do not serve `slot`. */
async function othersThan(slot: number) {
  const owner = await cluster.ownerOfSlot(slot);
  const masters = await Promise.all([0, 8_000, 16_383].map((other) => cluster.ownerOfSlot(other)));
  return masters.filter((master) => master !== owner);
}

describe.each(REDIS_CLIENTS)('four processes on one sequence in a cluster, with %s', (client) => {
  connectWith(client);

  faultTest(
    'go on, in order and without an error, while its slot moves from node to node and back',
    async () => {
      const { recording, slot } = await load('move');
      await using _ended = recording;
      const home = await cluster.ownerOfSlot(slot);
      const away = await othersThan(slot);
      for (const to of [...away, ...away].flatMap((node) => [node, home])) {
        await recording.issued(1_000);
        const before = recording.noted('void: reign');
        await injectFault(() => cluster.moveSlot(slot, to));
        await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
      }
      await recording.issued(1_000);
      const history = await recording.stop();
      assertSound(history);
      expect(history.failures).toEqual([]);
    },
  );

  faultTest(
    'go on, in order and without an error, when its replica takes over in step, and its master again',
    async () => {
      const { recording, slot } = await load('failover');
      await using _ended = recording;
      for (let i = 0; i < 2; i++) {
        await recording.issued(2_000);
        const before = recording.noted('void: reign');
        await injectFault(async () =>
          cluster.failover(await cluster.replicaOf(await cluster.ownerOfSlot(slot))),
        );
        await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
      }
      await recording.issued(2_000);
      const history = await recording.stop();
      assertSound(history);
      expect(history.failures).toEqual([]);
    },
  );
});

describe('four processes on one sequence in a cluster', () => {
  faultTest(
    'go on, in order, when a replica that lags takes over from a killed master, which returns, again and again',
    async () => {
      const { recording, slot } = await load('takeover');
      await using _ended = recording;
      for (let i = 0; i < 3; i++) {
        await recording.issued(1_000);
        const master = await cluster.ownerOfSlot(slot);
        const replica = await cluster.replicaOf(master);
        await injectFault(() => cluster.breakLink(master, replica));
        await recording.issued(1_000);
        const before = recording.noted('void: reign');
        await injectFault(async () => {
          await master.kill();
          await cluster.failover(replica, 'TAKEOVER');
          await cluster.mendLink(replica);
        });
        await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
        await injectFault(() => master.restart());
      }
      await recording.issued(1_000);
      assertSound(await recording.stop());
    },
  );
});

describe.each(REDIS_CLIENTS)('a sequence in a cluster, with %s', (client) => {
  connectWith(client);

  faultTest(
    'goes on with waitReplicas where its slot has moved to, which pipelines do not find',
    async () => {
      await using fixture = new Fixture(uniqueName('confirmed'));
      const connected = await connectToCluster(cluster.nodes);
      const { client: redis } = connected;
      onTestFinished(() => connected.disconnect());
      const types: string[] = [];
      const generator = await createSegmentRedisDbGenerator({
        name: 'order',
        redis,
        source: fixture.source,
        keyPrefix: fixture.keyPrefix,
        waitReplicas: 1,
        deadlineMs: 10_000,
        onEvent: ({ type }) => void types.push(type),
      });
      const given = [await generator.next()];
      const slot = await cluster.slotOfKey(fixture.key);
      const home = await cluster.ownerOfSlot(slot);
      for (const to of [...(await othersThan(slot)), home]) {
        await injectFault(() => cluster.moveSlot(slot, to));
        given.push(await generator.next());
      }
      await generator.close();
      expect(fault(given)).toBeUndefined();
      expect(types.filter((type) => type === 'void')).toHaveLength(3);
    },
  );
});

describe('a sequence in a cluster', () => {
  function sequenceOf(name: string, mutant?: Mutant) {
    return new ForgetfulSequence(() => connectToCluster(cluster.nodes), uniqueName(name), mutant);
  }

  faultTest('begins a new generation on each node to which its slot moves', async () => {
    const sequence = sequenceOf('visited');
    const slot = await cluster.slotOfKey(sequence.key);
    const home = await cluster.ownerOfSlot(slot);
    const given = await sequence.take(5);
    for (const to of [...(await othersThan(slot)), home]) {
      await injectFault(() => cluster.moveSlot(slot, to));
      expect(await sequence.state()).toBe('void');
      given.push(...(await sequence.take(5)));
      expect(await sequence.state()).toBe('dispensing');
    }
    expect(given).toHaveLength(20);
    expect(fault(given)).toBeUndefined();
  });

  /**
   * The slot visits another node, comes home, where ids are given, and visits again. There a replica takes
   * over that knows of the first visit only, so that the hash which comes home at last is an old one, of the
   * same reign. Resolves with the ids given, and with the state of that hash.
   */
  async function comeHomeOlder(sequence: ForgetfulSequence) {
    const slot = await cluster.slotOfKey(sequence.key);
    const home = await cluster.ownerOfSlot(slot);
    const [away = home] = await othersThan(slot);
    const given = await sequence.take(10);
    const replica = await injectFault(async () => {
      await cluster.moveSlot(slot, away);
      const follower = await cluster.replicaOf(away);
      await sequence.replicated(away);
      await cluster.breakLink(away, follower);
      await cluster.moveSlot(slot, home);
      return follower;
    });
    given.push(...(await sequence.take(5)));
    await injectFault(async () => {
      if (replica === undefined) throw new Error('the first visit was left out');
      await cluster.moveSlot(slot, away);
      await away.kill();
      await cluster.failover(replica, 'TAKEOVER');
      await cluster.mendLink(replica);
      await cluster.moveSlot(slot, home);
    });
    const state = await sequence.state();
    given.push(...(await sequence.take(5)));
    await injectFault(() => away.restart());
    return { given, state };
  }

  it('needs one more right than elsewhere, and says so at start', async () => {
    const keyPrefix = `${uniqueName('rights')}:`;
    const owner = await cluster.ownerOfSlot(await cluster.slotOfKey(`${keyPrefix}{order}`));
    await using fixture = new Fixture(keyPrefix);
    const admin = fixture.client(owner.url);
    const rules = (rights: string) =>
      `on >secret ~${keyPrefix}* resetchannels -@all +hello +client +ping ${rights}`;
    const url = owner.url.replace('redis://', 'redis://dispenser:secret@');
    await admin.call('ACL', 'SETUSER', 'dispenser', ...rules(MINIMAL_ACL).split(' '));
    await expect(fixture.generator(url)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('+cluster|info (in a Cluster)'),
    });
    await admin.call('ACL', 'SETUSER', 'dispenser', '+cluster|info');
    expect(await (await fixture.generator(url)).nextBatch(20)).toHaveLength(20);
    await admin.call('ACL', 'DELUSER', 'dispenser');
  });

  it('takes a client of all nodes with the rights that the page names', async () => {
    const page = new URL('../../../../docs/operations/segment-redis-db.md', import.meta.url);
    const rights = /user needs `~ids:\* ([^`]+)`; in a Cluster also\s+`([^`]+)`/.exec(
      readFileSync(page, 'utf8'),
    );
    const keyPrefix = `${uniqueName('paged')}:`;
    await using fixture = new Fixture(keyPrefix);
    const rules = `on >secret ~${keyPrefix}* resetchannels -@all ${rights?.slice(1).join(' ')}`;
    for (const { url } of cluster.nodes)
      await fixture.client(url).call('ACL', 'SETUSER', 'paged', ...rules.split(/\s+/));
    const redisOptions = { username: 'paged', password: 'secret', maxRetriesPerRequest: 1 };
    const redis = quiet(new Cluster([...cluster.nodes], { redisOptions }));
    onTestFinished(() => redis.disconnect());
    expect(await fixture.take('', 20, { redis })).toHaveLength(20);
  });

  faultTest('gives no id twice when a failover elsewhere lost what its slot brings home', async () => {
    const { given, state } = await comeHomeOlder(sequenceOf('home'));
    expect(fault(given)).toBeUndefined();
    expect(state).toBe('void');
  });

  faultTest("would repeat ids that were lost elsewhere without the cluster's epoch", async () => {
    const { given } = await comeHomeOlder(sequenceOf('mutant_home', MUTANTS.noClusterEpoch));
    expect(fault(given)).toMatch(/given twice/);
  });

  /**
   * Ten ids reach the replica, five do not; then the master is killed and the replica takes over,
   * with the hash in `state`.
   */
  async function killAndTakeOver(sequence: ForgetfulSequence) {
    const master = await cluster.ownerOfKey(sequence.key);
    const replica = await cluster.replicaOf(master);
    const given = await sequence.take(10);
    await sequence.replicated(master);
    await injectFault(() => cluster.breakLink(master, replica));
    given.push(...(await sequence.take(5)));
    await injectFault(async () => {
      await master.kill();
      await cluster.failover(replica, 'TAKEOVER');
      await cluster.mendLink(replica);
    });
    const state = await sequence.state();
    given.push(...(await sequence.take(15)));
    await injectFault(() => master.restart());
    return { given, state };
  }

  faultTest(
    'gives no id twice and none out of order after a takeover by a replica that lagged behind',
    async () => {
      const { given, state } = await killAndTakeOver(sequenceOf('lag'));
      expect(given).toHaveLength(30);
      expect(fault(given)).toBeUndefined();
      expect(state).toBe('void');
    },
  );

  faultTest('would repeat ids after a takeover without the fence', async () => {
    const { given } = await killAndTakeOver(sequenceOf('mutant', MUTANTS.noFence));
    expect(fault(given)).toMatch(/given twice/);
  });
});
