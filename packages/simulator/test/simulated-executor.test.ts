import { SqlSegmentSource } from '@ids/segment/sql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../src/random.js';
import { SegmentTable } from '../src/table/segment-table.js';
import { installPlatform } from '../src/time/platform.js';
import { Scheduler } from '../src/time/scheduler.js';
import { Trace } from '../src/trace.js';

const NAME = 'order';
const RESTORED = { cause: 'restore', skipped: 1_000 };

let scheduler: Scheduler;
let table: SegmentTable;
let source: SqlSegmentSource;
let uninstall: () => void;

beforeEach(async () => {
  scheduler = new Scheduler();
  uninstall = installPlatform(scheduler, new Random(1));
  table = new SegmentTable({
    scheduler,
    seed: 1,
    random: new Random(1),
    trace: new Trace(() => scheduler.now, { keep: false }),
    sequences: [NAME],
    startAfter: 0,
    plan: {
      guard: 'full',
      triggers: true,
      firstXact: 2 ** 32 - 1,
      oldRows: false,
      after: { afterFailover: 500, afterRestore: 1_000 },
      repairMs: 1,
      synchronous: undefined,
    },
    wrap: (executor) => executor,
  });
  table.latency = [1, 1];
  source = new SqlSegmentSource(table.executorFor(scheduler.world), {
    afterFailover: 500,
    afterRestore: 1_000,
  });
  await soon(source.describe(NAME));
});

afterEach(() => uninstall());

/** What becomes of a call, and when, in milliseconds of the simulation from now. */
async function soon<T>(call: Promise<T>): Promise<{ value?: T; error?: { code?: string }; ms: number }> {
  const start = scheduler.now;
  let settled: { value?: T; error?: { code?: string }; ms: number } | undefined;
  const note = (rest: { value?: T; error?: { code?: string } }) => {
    settled = { ...rest, ms: scheduler.now - start };
  };
  void call.then(
    (value) => note({ value }),
    (error) => note({ error }),
  );
  await scheduler.run(scheduler.now + 10_000, () => settled !== undefined);
  if (settled === undefined) throw new Error('the call did not end');
  return settled;
}

describe('the simulated segment table', () => {
  it('gives up a locked row after a third of the time of the caller', async () => {
    table.lockedUntil = scheduler.now + 5_000;
    const { error, ms } = await soon(source.reserve(NAME, 10, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: 'ERR_IDS_TIMEOUT', cause: { code: '55P03' } });
    expect(ms).toBeCloseTo(1 + 100 + 1, 0);
  });

  it('waits for a locked row that becomes free in time', async () => {
    table.lockedUntil = scheduler.now + 50;
    const { value, ms } = await soon(source.reserve(NAME, 10, { timeoutMs: 300 }));
    expect(value).toEqual({ low: 1, high: 10, origin: expect.any(Object) });
    expect(ms).toBeCloseTo(51, 0);
  });

  it('does not make a reservation that a stall kept for too long', async () => {
    table.stalledUntil = scheduler.now + 500;
    const { error } = await soon(source.reserve(NAME, 10, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    expect(table.maxId(NAME)).toBe(0);
  });

  it('reserves although its reply is lost', async () => {
    table.loseReplies = 1;
    expect((await soon(source.reserve(NAME, 10))).error).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    expect(table.maxId(NAME)).toBe(10);
  });

  it('skips ids on a standby that lacks commits', async () => {
    for (let i = 0; i < 3; i++) await soon(source.reserve(NAME, 10));
    table.replace(table.server.before(2, { timeline: 2 }));
    expect(table.maxId(NAME)).toBe(10);
    expect(table.pending(NAME)).toBe('failover');
    const { value } = await soon(source.reserve(NAME, 10));
    expect(value).toEqual({
      low: 511,
      high: 520,
      origin: expect.any(Object),
      newReign: { cause: 'failover', skipped: 500 },
    });
    expect(table.behind).toBe(false);
  });

  it('notices a dump, also on a new server in the very transaction that the row names', async () => {
    await soon(source.reserve(NAME, 10));
    const dump = table.server.rows;
    const nextXact = dump.get(NAME)?.last_xact ?? 0;
    table.replace(table.server.withDump(dump, { systemId: 1, timeline: 1, nextXact }));
    expect((await soon(source.reserve(NAME, 10))).value).toEqual({
      low: 1_011,
      high: 1_020,
      origin: expect.any(Object),
      newReign: RESTORED,
    });
    table.replace(table.server.withDump(dump));
    expect((await soon(source.reserve(NAME, 10))).value).toMatchObject({ newReign: RESTORED });
  });

  it('covers only a loss that is skipped or refused', async () => {
    for (let i = 0; i < 60; i++) await soon(source.reserve(NAME, 10));
    const { server } = table;
    expect(table.covers(server.before(50, { timeline: 2 }))).toBe(true);
    expect(table.covers(server.before(51, { timeline: 2 }))).toBe(false);
    expect(table.covers(server.before(1))).toBe(false);
    table.replace(server.before(1));
    expect(table.behind).toBe(true);
  });

  it('throws for a statement that it does not know, past the one who sent it', async () => {
    const { error } = await soon(
      table.executorFor(scheduler.world).execute('DELETE FROM id_segment', []),
    ).catch((thrown) => ({ error: thrown }));
    expect(error).toBeInstanceOf(SyntaxError);
  });
});
