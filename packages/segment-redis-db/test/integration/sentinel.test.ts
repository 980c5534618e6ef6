import {
  assertHistory,
  checkHistory,
  type History,
  type HistoryLevel,
  startProcesses,
} from '@ids/conformance';
import { type RedisSentinelGroup, startRedisSentinel, uniqueName } from '@ids/local-services';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fault } from '../support/fixture.js';
import { ForgetfulSequence } from '../support/forgetful-sequence.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';
import { type SentinelContext, sentinelClient } from '../support/sentinel-subject.js';
import { createContext } from '../support/subject.js';

let group: RedisSentinelGroup;
beforeAll(async () => {
  group = await startRedisSentinel();
});
afterAll(() => group?.close());

function clientGroup() {
  return { name: group.name, sentinels: group.sentinels.map(({ host, port }) => ({ host, port })) };
}

/** Four processes, eight callers each, that find the primary through Sentinels. */
async function load(name: string) {
  const { redis: _, ...rest } = await createContext('', inject('databaseUrl'), uniqueName(name));
  const context: SentinelContext = { ...rest, group: clientGroup() };
  const module = new URL('../support/sentinel-subject.ts', import.meta.url);
  return startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
}

function assertSound(history: History, levels: readonly HistoryLevel[]): void {
  if (process.env.COUNT) {
    const c = checkHistory(history, { levels: ['unique', 'real-time', 'increasing', 'fifo'] });
    console.log(
      history.records.length,
      history.failures.length,
      history.unsettled.length,
      c.counts,
      c.messages,
      history.failures.slice(0, 3),
    );
  }
  assertHistory(history, { levels });
  expect(history.records.length).toBeGreaterThan(1_000);
}

describe('four processes on one sequence under Sentinels', () => {
  it('go on, in order, when the primary is killed, and again when it is back and its successor is killed', async () => {
    const recording = await load('killed');
    for (let i = 0; i < 2; i++) {
      await recording.issued(1_000);
      const primary = await group.primary();
      const replica = await group.replica();
      await group.breakLink(primary, replica);
      await recording.issued(1_000);
      await primary.kill();
      await group.primaryAfter(primary);
      await group.mendLink(replica);
      await recording.issued(1_000);
      await primary.restart();
    }
    await group.replica();
    await recording.issued(1_000);
    assertSound(await recording.stop(), ['unique', 'real-time', 'increasing', 'fifo']);
  });

  it('go on when a failover is ordered, although the former primary serves on for a while', async () => {
    const recording = await load('ordered');
    await recording.issued(2_000);
    const former = await group.primary();
    await group.failover();
    await recording.issued(1_000);
    expect(await group.replica()).toBe(former);
    await recording.issued(2_000);
    assertSound(await recording.stop(), ['unique', 'increasing', 'fifo']);
  });
});

describe('a sequence under Sentinels', () => {
  /** Ten ids reach the replica, five do not; then the primary is killed. */
  async function kill(mutant?: Mutant): Promise<number[]> {
    const sequence = new ForgetfulSequence(() => sentinelClient(clientGroup()), uniqueName('lag'), mutant);
    const replica = await group.replica();
    const primary = await group.primary();
    const given = await sequence.take(10);
    await sequence.replicated(primary);
    await group.breakLink(primary, replica);
    given.push(...(await sequence.take(5)));
    await primary.kill();
    await group.primaryAfter(primary);
    await group.mendLink(replica);
    given.push(...(await sequence.take(15)));
    await primary.restart();
    return given;
  }

  it('gives no id twice and none out of order when a replica that lagged behind is promoted', async () => {
    const ids = await kill();
    expect(ids).toHaveLength(30);
    expect(fault(ids)).toBeUndefined();
  });

  it('would repeat ids then without the fence', async () => {
    expect(fault(await kill(MUTANTS.noFence))).toMatch(/given twice/);
  });
});
