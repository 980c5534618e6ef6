import { monotonicNow, startProcesses } from '@ids/conformance';
import { startFaultProxy, startRedis, startRedisCluster, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject } from 'vitest';
import { REDIS_CLIENTS } from '../support/client-names.js';
import type { ClusterContext } from '../support/cluster-subject.js';
import { connectWith } from '../support/connect-with.js';
import { createKeyedContext } from '../support/keyed-subject.js';
import { adminOf, assertSound, load, movedWithin, statistic } from '../support/load.js';

const database = inject('databaseUrl');

/** Ids by which a fault must have been felt. */
const LIMIT = 5_000;

/** Four processes, eight callers each, on one key. */
const loadKey = (context: Parameters<typeof load>[0]) => load(context, 'keyed-subject.ts');

describe('four processes on one key', () => {
  faultTest('go on, in order, when Redis is killed and comes back with an old dump', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using recording = await loadKey(await createKeyedContext(redis.url, database, uniqueName('kill')));
    for (let i = 0; i < 3; i++) {
      await recording.issued(1_000);
      await admin.redis.save();
      await recording.issued(1_000);
      const before = recording.noted('void: reign');
      await injectFault(async () => {
        await redis.kill();
        await redis.restart();
      });
      await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
    }
    await recording.issued(1_000);
    assertSound(await recording.stop());
  });

  faultTest('lose nothing but numbers when Redis is flushed', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using recording = await loadKey(await createKeyedContext(redis.url, database, uniqueName('flush')));
    for (let i = 0; i < 20; i++) {
      await recording.issued(300);
      const before = recording.noted('void: missing');
      await injectFault(() => admin.redis.flushall());
      await felt(
        'a missing record',
        () => recording.noted('void: missing') > before,
        recording.issued(LIMIT),
      );
    }
    assertSound(await recording.stop());
  });

  faultTest('settle every call, in order, when replies are swallowed and connections cut', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using proxy = await startFaultProxy({ target: redis });
    const context = await createKeyedContext(proxy.url('redis'), database, uniqueName('cut'));
    await using recording = await loadKey(context);
    const connections = () => statistic(admin.redis, 'total_connections_received');
    for (let i = 0; i < 20; i++) {
      await recording.issued(500);
      const before = await connections();
      await injectFault(async () => {
        await proxy.setMode('swallow-replies');
        proxy.cut();
        await proxy.setMode('pass');
      });
      await felt(
        'four new connections',
        async () => (await connections()) >= before + 4,
        recording.issued(LIMIT),
      );
    }
    await recording.issued(500);
    const history = await recording.stop();
    assertSound(history);
    const ids = history.records.flatMap(({ ids: given }) => given.map(Number));
    expect(Math.max(...ids), 'ids of replies that were lost').toBeGreaterThan(ids.length);
  });

  faultTest('go on while processes stop for longer than their leases last, and wake up', async () => {
    await using redis = await startRedis();
    const context = await createKeyedContext(redis.url, database, uniqueName('stop'));
    // Small segments, so that a process often stops with a lease.
    const leases = { ...context, lockMs: 10, maxStep: 50 };
    await using recording = await loadKey(leases);
    const stops: { readonly process: number; readonly from: number; readonly until: number }[] = [];
    for (let i = 0; i < 12; i++) {
      await recording.issued(300);
      const number = (i % 4) + 1;
      const pid = recording.pids[number - 1] ?? 0;
      await injectFault(() => process.kill(pid, 'SIGSTOP'));
      const from = monotonicNow();
      await recording.issued(300);
      stops.push({ process: number, from, until: monotonicNow() });
      await injectFault(() => process.kill(pid, 'SIGCONT'));
    }
    await recording.issued(300);
    const history = await recording.stop();
    assertSound(history);
    for (const stop of stops) expect(movedWithin(history, stop, stop.process), 'calls while stopped').toBe(0);
  });
});

describe.each(REDIS_CLIENTS)('four processes on one key in a cluster, with %s', (client) => {
  connectWith(client);

  faultTest('go on, in order, while its slot moves from node to node and back', async () => {
    await using cluster = await startRedisCluster();
    const { redis: _, ...rest } = await createKeyedContext('', database, uniqueName('move'));
    const context: ClusterContext = {
      ...rest,
      client,
      nodes: cluster.nodes.map(({ host, port }) => ({ host, port })),
    };
    const module = new URL('../support/keyed-cluster-subject.ts', import.meta.url);
    await using recording = await startProcesses({
      module,
      context,
      processes: 4,
      callers: 8,
      tolerateErrors: true,
    });
    const slot = await cluster.slotOfKey(`${context.keyPrefix}{${context.name}}`);
    const home = await cluster.ownerOfSlot(slot);
    const masters = await Promise.all([0, 8_000, 16_383].map((other) => cluster.ownerOfSlot(other)));
    for (const to of masters.filter((node) => node !== home).flatMap((node) => [node, home])) {
      await recording.issued(1_000);
      const before = recording.noted('void: reign');
      await injectFault(() => cluster.moveSlot(slot, to));
      await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(LIMIT));
    }
    await recording.issued(1_000);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });
});
