import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { SegmentEvent } from '@ids/segment';
import { createSequence, ensureSchema, setFloor } from '@ids/segment/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import {
  createSegmentInprocGenerator,
  type SegmentInprocIdGenerator,
  type SegmentInprocOptions,
} from '../../src/index.js';
import { withExecutor } from '../support/subject.js';

const TABLE = 'id_segment';
const SKIP = 1_000;

interface Process {
  readonly generator: SegmentInprocIdGenerator<number>;
  readonly events: SegmentEvent[];
  readonly ids: number[];
  take(count: number): Promise<number[]>;
}

/** One process of the service, with everything it gave. */
async function openProcess(options: SegmentInprocOptions): Promise<Process> {
  const events: SegmentEvent[] = [];
  const generator = await createSegmentInprocGenerator({
    minStep: 10,
    maxStep: 10,
    afterRestore: SKIP,
    afterFailover: SKIP,
    onEvent: (event) => events.push(event),
    ...options,
    as: 'number',
  });
  onTestFinished(() => generator.close());
  const ids: number[] = [];
  const take = async (count: number): Promise<number[]> => {
    const taken = await generator.nextBatch(count);
    ids.push(...taken);
    return taken;
  };
  return { generator, events, ids, take };
}

function isProcess(opened: unknown): opened is Process {
  return Object(opened).take !== undefined;
}

function expectNoneTwice(...processes: readonly Process[]): void {
  const given = processes.flatMap(({ ids }) => ids);
  expect(given.length - new Set(given).size).toBe(0);
}

function reigns(...processes: readonly Process[]): SegmentEvent[] {
  return processes.flatMap(({ events }) => events.filter(({ type }) => type === 'new-reign'));
}

describe.each(SQL_DIALECTS)('segment-inproc on $server', ({ start, startReplication, dumpTable }) => {
  /** Two servers, so that a dump of the one can be restored into the other; a sequence for each test. */
  let servers: readonly SqlServer[] = [];
  beforeAll(async () => {
    servers = await Promise.all([start(), start()]);
    for (const { url } of servers) await withExecutor(url, (executor) => ensureSchema(executor));
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  async function openServer(name: string): Promise<string> {
    const [server] = servers;
    if (server === undefined) throw new Error('no server');
    await withExecutor(server.url, (executor) => createSequence(executor, name));
    return server.url;
  }

  faultTest(
    'two running processes that had seen different amounts repeat nothing of a restored dump',
    async () => {
      const database = await openServer('different');
      const [less, more] = [
        await openProcess({ name: 'different', database }),
        await openProcess({ name: 'different', database }),
      ];
      await less.take(10);
      const dump = await dumpTable(database, TABLE);
      await less.take(5);
      await more.take(60);
      await injectFault(() => dump.restoreTo(database));
      // The one that had seen less asks first.
      await less.take(60);
      await more.take(60);
      expect(reigns(less, more)).toEqual([expect.objectContaining({ cause: 'restore', skipped: SKIP })]);
      expectNoneTwice(less, more);
      const noticed = [less, more].filter(({ events }) => events.some(({ type }) => type === 'new-reign'));
      expect(noticed.map(({ generator }) => generator.health())).toMatchObject([
        { lastRegression: { message: expect.stringContaining(`${SKIP} ids`), at: expect.any(Date) } },
      ]);
      expect(noticed[0]?.generator.counters().regressions).toBe(1);
    },
  );

  faultTest('a newcomer repeats nothing of a dump that was restored into another server', async () => {
    const database = await openServer('moved');
    const elsewhere = servers[1]?.url ?? '';
    const survivor = await openProcess({ name: 'moved', database });
    await survivor.take(10);
    const dump = await dumpTable(database, TABLE);
    await survivor.take(90);
    await injectFault(() => dump.restoreTo(elsewhere));
    const newcomer = await openProcess({ name: 'moved', database: elsewhere }).catch(
      (error: unknown) => error,
    );
    if (!isProcess(newcomer)) expect.fail(`no process is served: ${newcomer}`);
    await newcomer.take(50);
    expect(reigns(newcomer)).toHaveLength(1);
    expectNoneTwice(survivor, newcomer);
  });

  faultTest(
    'processes refuse to go on from a restored table until a floor is set, where that is asked for',
    async () => {
      const database = await openServer('refused');
      const options = { name: 'refused', database, afterRestore: 'refuse' } as const;
      const survivor = await openProcess(options);
      await survivor.take(10);
      const dump = await dumpTable(database, TABLE);
      await survivor.take(90);
      await injectFault(() => dump.restoreTo(database));
      const newcomer = await openProcess(options);
      expect(newcomer.events).toContainEqual(expect.objectContaining({ type: 'warning' }));
      for (const { generator } of [newcomer, survivor]) {
        await expect(generator.nextBatch(50)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
        expect(generator.health()).toMatchObject({ lastError: { code: 'ERR_IDS_REGRESSED' } });
      }
      await withExecutor(database, (executor) => setFloor(executor, 'refused', 500, { checked: true }));
      await newcomer.take(50);
      await survivor.take(50);
      expectNoneTwice(newcomer, survivor);
    },
  );

  faultTest(
    'a newcomer and a survivor repeat nothing after the failover to a replica that lacks commits',
    async () => {
      const replication = await startReplication();
      onTestFinished(() => replication.close());
      const { primary, replica } = replication;
      await withExecutor(primary.url, async (executor) => {
        await ensureSchema(executor);
        await createSequence(executor, 'order');
      });
      const [less, more] = [
        await openProcess({ name: 'order', database: primary.url }),
        await openProcess({ name: 'order', database: primary.url }),
      ];
      await less.take(10);
      await replication.caughtUp();
      await injectFault(() => replication.cutOff());
      await more.take(90);
      await injectFault(async () => {
        await primary.stop('immediate');
        await replication.promote();
      });
      const newcomer = await openProcess({ name: 'order', database: replica.url }).catch(
        (error: unknown) => error,
      );
      if (!isProcess(newcomer)) expect.fail(`no process is served: ${newcomer}`);
      await newcomer.take(90);
      expect(reigns(newcomer)).toEqual([expect.objectContaining({ cause: 'failover', skipped: SKIP })]);
      expectNoneTwice(less, more, newcomer);
    },
    120_000,
  );
});
