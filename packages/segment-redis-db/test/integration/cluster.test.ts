import { assertHistory, type History, startProcesses } from '@ids/conformance';
import { type RedisCluster, startRedisCluster, uniqueName } from '@ids/local-services';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ClusterContext } from '../support/cluster-subject.js';
import { createContext } from '../support/subject.js';

const LEVELS = ['unique', 'real-time', 'increasing', 'fifo'] as const;

/** Four processes, eight callers each, with a Cluster client each. */
async function load(cluster: RedisCluster, name: string) {
  const { redis: _, ...rest } = await createContext('', inject('databaseUrl'), uniqueName(name));
  const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
  const context: ClusterContext = { ...rest, nodes };
  const module = new URL('../support/cluster-subject.ts', import.meta.url);
  const recording = await startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
  return { recording, slot: await cluster.slotOfKey(`${context.keyPrefix}{${context.name}}`) };
}

function assertSound(history: History): void {
  if (process.env.COUNT) {
    const fails: Record<string, number> = {};
    for (const f of history.failures)
      fails[`${f.code} ${f.message}`] = (fails[`${f.code} ${f.message}`] ?? 0) + 1;
    console.log(history.records.length, history.failures.length, history.unsettled.length, fails);
  }
  assertHistory(history, { levels: LEVELS });
  expect(history.records.length).toBeGreaterThan(1_000);
}

describe('four processes on one sequence in a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasPerMaster: 1 });
  });
  afterAll(() => cluster.close());

  it('go on, in order, while the slot of the sequence moves from node to node and back', async () => {
    const { recording, slot } = await load(cluster, 'move');
    const home = await cluster.ownerOfSlot(slot);
    const away = cluster.nodes.slice(0, 3).filter((node) => node !== home);
    for (const to of [...away, ...away]) {
      await recording.issued(1_000);
      await cluster.moveSlot(slot, to);
      await recording.issued(1_000);
      await cluster.moveSlot(slot, home);
    }
    await recording.issued(1_000);
    assertSound(await recording.stop());
  });

  it('go on, in order, when a replica takes over in step with its master, and back', async () => {
    const { recording, slot } = await load(cluster, 'failover');
    for (let i = 0; i < 2; i++) {
      await recording.issued(2_000);
      await cluster.failover(await cluster.replicaOf(await cluster.ownerOfSlot(slot)));
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  it('go on, in order, when the master is killed, its replica takes over, and the master returns and dies again', async () => {
    const { recording, slot } = await load(cluster, 'takeover');
    for (let i = 0; i < 2; i++) {
      await recording.issued(2_000);
      const master = await cluster.ownerOfSlot(slot);
      const replica = await cluster.replicaOf(master);
      await master.kill();
      await cluster.failover(replica, 'TAKEOVER');
      await recording.issued(2_000);
      await master.restart();
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });
});
