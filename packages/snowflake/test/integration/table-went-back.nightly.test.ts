import { dumpTable, openPostgresPool, startPostgresReplication, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { fromPgUrl } from '@ids/segment/sql';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import {
  createSnowflakeGenerator,
  layoutOf,
  type SnowflakeEvent,
  type SnowflakeGenerator,
  type SnowflakeOptions,
} from '../../src/index.js';
import { SqlSlotTable, slotGrants } from '../../src/sql/index.js';
import { AHEAD_MS, WINDOW_MS } from '../../src/windows.js';
import { openSlotDatabase } from '../support/slot-database.js';
import { createContext, type SlotsOptions } from '../support/subject.js';

interface Process {
  readonly generator: SnowflakeGenerator<number>;
  readonly events: SnowflakeEvent[];
  readonly ids: number[];
  take(count: number): Promise<void>;
}

async function start(options: SnowflakeOptions): Promise<Process> {
  const events: SnowflakeEvent[] = [];
  const generator = await createSnowflakeGenerator({
    deadlineMs: 15_000,
    onEvent: (event) => events.push(event),
    ...options,
    as: 'number',
  });
  onTestFinished(() => generator.close());
  const ids: number[] = [];
  const take = async (count: number): Promise<void> => {
    for (const id of await generator.nextBatch(count)) ids.push(id);
  };
  return { generator, events, ids, take };
}

function expectNoneTwice(...processes: readonly Process[]): void {
  const ids = processes.flatMap((process) => process.ids);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
}

function causes({ events }: Process): string[] {
  return events.flatMap((event) => (event.type === 'new-reign' ? [event.cause] : []));
}

function waits({ events }: Process): number[] {
  return events.flatMap((event) => (event.type === 'claim' ? [event.waitMs] : []));
}

const openSlots = (options: SlotsOptions) =>
  createContext(inject('databaseUrl'), uniqueName('went_back'), { layout: '41+6+6', ...options });
/** More than the layout has in a second: stamps run ahead of the clock. */
const BURST = 100_000;

faultTest(
  'newcomers and survivors repeat nothing after a table was restored to before their claims',
  async () => {
    const slots = await openSlots({ slots: 4 });
    const dump = await dumpTable(slots.database, slots.table);
    const survivor = await start({ ...slots, startup: 'at-once' });
    await survivor.take(BURST);
    await injectFault(() => dump.restoreTo(slots.database));
    const newcomers = await Promise.all([start({ ...slots, startup: 'at-once' }), start(slots)]);
    await Promise.all([survivor, ...newcomers].map((one) => one.take(BURST)));
    // The one that would not have waited noticed, and did.
    expect(newcomers.map(causes)).toEqual([['restore'], ['restore']]);
    expect(newcomers.map(waits)).toEqual([[3_000], [3_000]]);
    expect(newcomers[0]?.generator.counters().regressions).toBe(1);
    expect(newcomers[0]?.generator.health()).toMatchObject({
      status: 'ok',
      lastRegression: { message: expect.stringMatching(/slot \d.*restore/) },
    });
    expectNoneTwice(survivor, ...newcomers);
  },
);

faultTest('a survivor raises a row that forgot a window of it, and says so', async () => {
  // The database's clock stands still between the steps, so no window ends, however busy the machine is.
  const { url, table, pool, setClock } = await openSlotDatabase({ slots: 2, layout: '41+6+6' });
  const startedAt = Date.now();
  await setClock({ atMs: startedAt });
  const survivor = await start({ name: 'order', database: url, table, startup: 'at-once' });
  const windows = (): number => survivor.generator.counters().refills;
  await survivor.take(10);
  const dump = await dumpTable(url, table);
  await setClock({ atMs: startedAt + AHEAD_MS + 100 });
  await vi.waitUntil(() => windows() === 2, 60_000);
  await injectFault(() => dump.restoreTo(url));
  await setClock({ atMs: startedAt + WINDOW_MS + AHEAD_MS + 100 });
  await vi.waitUntil(() => windows() === 3, 60_000);
  expect(survivor.events).toContainEqual(expect.objectContaining({ type: 'regression', slot: 0 }));
  expect(causes(survivor)).toEqual(['restore']);
  // The third window begins where the second ended, of which the row knew nothing.
  const { rows } = await pool.query(`SELECT until_ms FROM ${table} WHERE slot = 0`);
  expect(Number(rows[0]?.until_ms)).toBe(startedAt + 3 * WINDOW_MS);
  await setClock({ offsetMs: 0 });
  await survivor.take(BURST);
  expectNoneTwice(survivor);
});

/** `service`: SQL that runs after the grants for a role of that name, with which generators connect then. */
async function failOver(
  options: SlotsOptions,
  service?: string,
): Promise<{ former: Process; latter: Process }> {
  const replication = await startPostgresReplication();
  onTestFinished(() => replication.close());
  const { primary, standby, link } = replication;
  const slots = await createContext(primary.url, 'id_slot', { layout: '41+6+6', slots: 2, ...options });
  const urlOf = (server: string): string => {
    const url = new URL(server);
    if (service !== undefined) [url.username, url.password] = ['service', 'secret'];
    return url.href;
  };
  if (service !== undefined) {
    const admin = openPostgresPool(primary.url, { max: 1 });
    await admin.query(`CREATE ROLE service LOGIN PASSWORD 'secret'; ${slotGrants('service')}; ${service}`);
    await admin.end();
  }
  await replication.caughtUp();
  await injectFault(() => link.setMode('blackhole'));
  const former = await start({ ...slots, database: urlOf(primary.url), startup: 'at-once' });
  await former.take(BURST);
  await injectFault(async () => {
    await primary.stop('immediate');
    await replication.promote();
  });
  const latter = await start({ ...slots, database: urlOf(standby.url), startup: 'at-once' }).catch(
    (error: unknown) => {
      expect(error, 'the promoted standby').toBeUndefined();
      throw error;
    },
  );
  await latter.take(BURST);
  return { former, latter };
}

faultTest(
  'a newcomer repeats nothing after the failover to a standby that lacks grants',
  async () => {
    const { former, latter } = await failOver({});
    expect(waits(former)).toEqual([0]);
    expect(causes(latter)).toEqual(['failover']);
    expect(waits(latter)).toEqual([3_000]);
    expectNoneTwice(former, latter);
  },
  120_000,
);

faultTest(
  'nor if a migration created the slots, whose rows cannot show that the standby lacks claims',
  async () => {
    const { former, latter } = await failOver({ bySql: true });
    expect(waits(former)).toEqual([3_000]);
    expect(causes(latter)).toEqual([]);
    expect(waits(latter)).toEqual([3_000]);
    expectNoneTwice(former, latter);
  },
  120_000,
);

faultTest(
  'nor if the server does not tell its timeline',
  async () => {
    const hidden = 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC';
    const { former, latter } = await failOver({}, hidden);
    expect(causes(latter)).toEqual([]);
    expect([waits(former), waits(latter)]).toEqual([[3_000], [3_000]]);
    expect(latter.events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringMatching(/every claim waits/) }),
    );
    expectNoneTwice(former, latter);
  },
  120_000,
);

it('sees that a row, or its whole table, tells nothing of its history', async () => {
  const { table, pool, executor } = await openSlotDatabase({ slots: 1, layout: '41+6+6' });
  const isBlank = async (): Promise<boolean | undefined> => {
    const slots = new SqlSlotTable(executor, { name: 'order', table, layout: layoutOf('41+6+6') });
    const owner = crypto.randomUUID();
    const claimed = await slots.claim(owner);
    await slots.release(0, owner);
    return 'slot' in claimed ? claimed.blank : undefined;
  };
  expect(await isBlank()).toBe(false);
  // As createSlots leaves it for a role that does not see the timeline.
  await pool.query(`UPDATE ${table} SET timeline = NULL, system_id = NULL`);
  expect([await isBlank(), await isBlank()]).toEqual([true, false]);
  await pool.query(`ALTER TABLE ${table} DROP COLUMN noticed`);
  expect([await isBlank(), await isBlank()]).toEqual([true, true]);
});

it('waits once for each slot that a migration created, also if it is given back before', async () => {
  const slots = await openSlots({ slots: 1, bySql: true });
  const [table, executor] = [slots.table, await fromPgUrl(slots.database, { max: 1 })];
  onTestFinished(() => executor.close());
  const held = async (): Promise<number> =>
    (await new SqlSlotTable(executor, { name: 'order', table, layout: layoutOf('41+6+6') }).holders()).holders
      .length;
  const first = await start({ ...slots, startup: 'at-once' });
  await first.generator.close();
  // Whoever comes next would not know that there is something to wait for.
  expect(await held()).toBe(1);
  const second = await start({ ...slots, startup: 'at-once' });
  await second.take(1);
  expect([waits(first), waits(second)]).toEqual([[3_000], [0]]);
});
