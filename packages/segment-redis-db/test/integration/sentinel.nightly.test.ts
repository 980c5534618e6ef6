import { assertHistory, emptyHistory, type History, recordCalls, startProcesses } from '@ids/conformance';
import {
  type FaultProxy,
  type RedisSentinelGroup,
  startFaultProxy,
  startRedisSentinel,
  uniqueName,
} from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { currentClient, REDIS_CLIENTS } from '../support/client-names.js';
import type { Address } from '../support/connect-in-process.js';
import { connectWith } from '../support/connect-with.js';
import { createKeyedContext } from '../support/keyed-subject.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';
import { open, type SentinelContext } from '../support/sentinel-subject.js';
import { createContext } from '../support/subject.js';

// Three must elect who of them leads a failover, and may need several rounds.
const sentinels = process.env.IDS_FULL === '1' ? 3 : 1;

let group: RedisSentinelGroup;
beforeAll(async () => {
  group = await startRedisSentinel({ sentinels });
});
afterAll(() => group?.close());

async function contextOf(name: string, mutant?: Mutant, create = createContext): Promise<SentinelContext> {
  const { redis: _, ...rest } = await create('', inject('databaseUrl'), uniqueName(name));
  return through(group.sentinels, { ...rest, client: currentClient(), group, mutant });
}

/** `context`, of processes that reach the Sentinels at these addresses. */
function through(sentinels: readonly Address[], context: SentinelContext): SentinelContext {
  const addresses = sentinels.map(({ host, port }) => ({ host, port }));
  return { ...context, group: { name: group.name, sentinels: addresses } };
}

const SEQUENCE = new URL('../support/sentinel-subject.ts', import.meta.url);
const KEY = new URL('../support/keyed-sentinel-subject.ts', import.meta.url);

/** Four processes, eight callers each, that find the primary through Sentinels. */
function load(context: SentinelContext, module = SEQUENCE) {
  return startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
}

const SUBJECTS = [
  ['one sequence', SEQUENCE, createContext],
  ['one key', KEY, createKeyedContext],
] as const;

describe.each(REDIS_CLIENTS.flatMap((client) => SUBJECTS.map((subject) => [client, ...subject] as const)))(
  'four processes under Sentinels, with %s, on %s,',
  (client, _what, subject, create) => {
    connectWith(client);

    faultTest(
      'go on, in order, when the primary is killed, and again when it is back and its successor is killed',
      async () => {
        await using recording = await load(await contextOf('killed', undefined, create), subject);
        for (let i = 0; i < 2; i++) {
          await recording.issued(1_000);
          const primary = await group.primary();
          const replica = await group.replica();
          await injectFault(() => group.breakLink(primary, replica));
          await recording.issued(1_000);
          const before = recording.noted('void: reign');
          await injectFault(async () => {
            await primary.kill();
            await group.primaryAfter(primary);
            await group.mendLink(replica);
          });
          await felt('another reign', () => recording.noted('void: reign') > before, recording.issued(5_000));
          await injectFault(() => primary.restart());
        }
        await recording.issued(1_000);
        const history = await recording.stop();
        assertHistory(history, { levels: ['unique', 'real-time', 'increasing', 'fifo'] });
        expect(history.records.length).toBeGreaterThan(1_000);
      },
    );
  },
);

describe.each(REDIS_CLIENTS)('four processes on one sequence under Sentinels, with %s', (client) => {
  connectWith(client);

  /** Between the four and the Sentinels. */
  let links: FaultProxy[] = [];
  beforeAll(async () => {
    links = await Promise.all(group.sentinels.map((target) => startFaultProxy({ target })));
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));

  const setLinks = (mode: 'pass' | 'blackhole') => Promise.all(links.map((link) => link.setMode(mode)));

  /**
   * `SENTINEL FAILOVER` does not stop the former primary at once: the four stay with it and go on, while the
   * Sentinels send a fifth process, which comes now, to the new primary. The four do not hear of that:
   * node-redis, which subscribes to what Sentinels announce, would leave at once. Resolves with what the
   * fifth got once it is done, both primaries still serving, and with the events of the fifth.
   */
  async function joinDuringOrderedFailover(context: SentinelContext) {
    await injectFault(() => setLinks('blackhole'));
    await injectFault(() => group.failover());
    const events: string[] = [];
    const fifth = await open(context, (event) => events.push(event));
    const joined = emptyHistory();
    await recordCalls(fifth, joined, { process: 5, callers: 8, perCaller: 250, tolerateErrors: true });
    await fifth.close();
    expect(joined.records).toHaveLength(2_000);
    await injectFault(() => setLinks('pass'));
    return { joined, events };
  }

  faultTest(
    'give no id twice when a failover is ordered and another joins while both primaries serve',
    async () => {
      const context = await contextOf('ordered');
      await using recording = await load(through(links, context));
      await recording.issued(2_000);
      await group.replica();
      const former = await group.primary();
      const { joined, events } = await joinDuringOrderedFailover(context);
      // The hash that the fifth found was written under the reign of the former primary.
      expect(events).toContain('void: reign');
      expect(await group.replica()).toBe(former);
      await recording.issued(2_000);
      assertHistory(together(await recording.stop(), joined), { levels: ['unique', 'increasing', 'fifo'] });
    },
  );

  faultTest('would repeat ids then without the fence', async () => {
    const context = await contextOf('mutant', MUTANTS.noFence);
    await using recording = await load(through(links, context));
    await recording.issued(2_000);
    await group.replica();
    const { joined } = await joinDuringOrderedFailover(context);
    await recording.issued(2_000);
    const history = together(await recording.stop(), joined);
    expect(() => assertHistory(history, { levels: ['unique'] })).toThrow(/given twice/);
  });
});

function together(a: History, b: History): History {
  return {
    records: [...a.records, ...b.records],
    failures: [...a.failures, ...b.failures],
    unsettled: [...a.unsettled, ...b.unsettled],
  };
}
