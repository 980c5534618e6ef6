import { EventEmitter, once } from 'node:events';
import { assertHistory, recordProcesses, startProcesses } from '@ids/conformance';
import type { SyncIdGenerator } from '@ids/core';
import { startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type { SegmentEvent } from '@ids/segment';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator, type SegmentInprocOptions } from '../../src/index.js';
import { isRunning } from '../support/is-running.js';
import { type Context, createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);

async function open(
  options: SegmentInprocOptions & { readonly as: 'number' },
): Promise<SyncIdGenerator<number>> {
  const generator = await createSegmentInprocGenerator(options);
  onTestFinished(() => generator.close());
  return generator;
}

/** Everything that is in memory. */
function drain(nextSync: () => number): number[] {
  const ids: number[] = [];
  try {
    for (;;) ids.push(nextSync());
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_IDS_NOT_READY' });
    return ids;
  }
}

describe.each(SQL_DIALECTS)('segment-inproc on $server, when its database', ({ start, connect, lower }) => {
  let server: SqlServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.close());

  function freshContext(): Promise<Context<'number'>> {
    return createContext(server.url, uniqueName('faults'), 'number');
  }

  /** What a restored backup does: the guard of the table knows nothing of it. */
  async function goBackTo({ table, name }: Context, maxId: number): Promise<void> {
    await using session = connect(server.url, 1);
    for (const statement of lower(table, name, maxId)) await session.query(statement);
  }

  faultTest(
    'is down, serves from memory, then waits, then says why, and goes on above when it is back',
    async () => {
      const context = await freshContext();
      const events = new EventEmitter();
      let failures = 0;
      events.on('refill-failed', () => failures++);
      const generator = await open({
        ...context,
        minStep: 10,
        maxStep: 10,
        deadlineMs: 2_000,
        onEvent: ({ type }) => void events.emit(type),
      });
      const first = await generator.next();
      await injectFault(() => server.stop('immediate'));
      const refilled = once(events, 'refill');
      const fromMemory = [first, ...Array.from({ length: 5 }, () => generator.nextSync())];
      await felt('a failed refill', () => failures > 0, refilled);
      expect(generator.health()).toMatchObject({
        status: 'degraded',
        lastError: { code: 'ERR_IDS_UNAVAILABLE' },
      });
      fromMemory.push(...drain(() => generator.nextSync()));
      expect(fromMemory).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
      expect(generator.health()).toMatchObject({ status: 'down', remaining: 0 });
      const late = generator.next();
      await expect(late).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
      await expect(late).rejects.toHaveProperty('cause.code', 'ERR_IDS_UNAVAILABLE');
      await injectFault(() => server.start());
      for (;;) {
        const id = await generator.next().catch(() => undefined);
        if (id === undefined) continue;
        expect(id).toBeGreaterThan(10);
        break;
      }
      expect(generator.health()).toMatchObject({ status: 'ok' });
      expect(generator.health()).not.toHaveProperty('lastError');
    },
  );

  faultTest(
    'hears nothing any more, gives callers up at their deadline and then goes on over a new connection',
    async () => {
      const context = await freshContext();
      const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
      onTestFinished(() => proxy.close());
      const generator = await open({
        ...context,
        database: proxy.url(context.database),
        minStep: 10,
        maxStep: 10,
        deadlineMs: 2_000,
      });
      const ids = await generator.nextBatch(10);
      await generator.ready();
      await injectFault(() => proxy.setMode('swallow-replies'));
      drain(() => generator.nextSync());
      await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
      await injectFault(() => proxy.setMode('pass'));
      for (;;) {
        const id = await generator.next().catch(() => undefined);
        if (id === undefined) continue;
        expect(id).toBeGreaterThan(Math.max(...ids));
        break;
      }
    },
  );

  faultTest('is closed while it hangs, does not hold the close up', async () => {
    const context = await freshContext();
    const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
    onTestFinished(() => proxy.close());
    const generator = await createSegmentInprocGenerator({
      ...context,
      database: proxy.url(context.database),
    });
    await injectFault(() => proxy.setMode('blackhole'));
    const waiting = generator.next();
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    waiting.then(settle, settle);
    await using session = connect(server.url, 1);
    // Whoever reaches the database is answered meanwhile.
    for (let answers = 0; answers < 200 && !settled; answers++) await session.query('SELECT 1');
    expect(settled).toBe(false);
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' }), generator.close()]);
  });

  faultTest('went back to an older state, gives no id twice and says so', async () => {
    const context = await freshContext();
    const events: SegmentEvent[] = [];
    const generator = await open({
      ...context,
      minStep: 10,
      maxStep: 10,
      // Without what a restored row skips, so that what this process had seen is all there is.
      afterRestore: 0,
      onEvent: (event) => events.push(event),
    });
    const before = await generator.nextBatch(95);
    await injectFault(() => goBackTo(context, 20));
    const after = await generator.nextBatch(300);
    expect(new Set([...before, ...after]).size).toBe(395);
    const rising = [...before, ...after];
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    expect(events).toContainEqual(expect.objectContaining({ type: 'regression', name: context.name }));
  });

  faultTest('crashes under load, gives no id twice to four processes', async () => {
    const context = await freshContext();
    await using processes = await startProcesses({
      module,
      context,
      processes: 4,
      callers: 8,
      pauseMs: 1,
      tolerateErrors: true,
    });
    await processes.issued(2_000);
    const before = processes.noted('refill-failed');
    await injectFault(() => server.stop('immediate'));
    await felt(
      'a failed refill',
      () => processes.noted('refill-failed') > before,
      // More than four processes can hold.
      processes.issued(7_000),
    );
    await injectFault(() => server.start());
    await processes.issued(6_000);
    assertHistory(await processes.stop(), { levels: ['unique', 'increasing', 'fifo'] });
  });

  faultTest(
    'keeps running while its process is killed, skips what that had in memory and repeats nothing',
    async () => {
      const context = await freshContext();
      const options = { module, context, processes: 1, callers: 4, pauseMs: 1 };
      await using first = await startProcesses(options);
      await first.issued(200);
      await injectFault(() => first.kill(1, 'SIGKILL'));
      // Its end is that of the recording too.
      const limit = first.issued(500).catch(() => undefined);
      await felt('the end of the process', () => !isRunning(first.pids[0] ?? 0), limit);
      const before = await first.stop();
      const after = await recordProcesses({ ...options, perCaller: 100 });
      const highest = Math.max(...before.records.flatMap(({ ids }) => ids.map(Number)));
      const lowest = Math.min(...after.records.flatMap(({ ids }) => ids.map(Number)));
      expect(lowest).toBeGreaterThan(highest);
    },
  );
});
