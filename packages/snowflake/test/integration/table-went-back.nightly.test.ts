import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, vi } from 'vitest';
import { AHEAD_MS, WINDOW_MS } from '../../src/windows/lengths.js';
import { failOver } from '../support/fail-over.js';
import { openClockedSlots, SLOT_CLIENTS } from '../support/open-clocked-slots.js';
import { BURST, causes, expectNoneTwice, start, waits } from '../support/process.js';
import { createContext } from '../support/subject.js';

describe.each(SQL_DIALECTS)('slots on $server', (kind) => {
  faultTest(
    'newcomers and survivors repeat nothing after a table was restored to before their claims',
    async () => {
      const database = await kind.shared();
      const slots = await createContext(database, uniqueName('went_back'), { layout: '41+6+6', slots: 4 });
      const dump = await kind.dumpTable(database, slots.table);
      const survivor = await start({ ...slots, startup: 'at-once' });
      await survivor.take(BURST);
      await injectFault(() => dump.restoreTo(database));
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

  faultTest(
    'a newcomer repeats nothing after the failover to a replica that lacks grants',
    async () => {
      const { former, latter } = await failOver(kind);
      expect(waits(former)).toEqual([0]);
      expect(causes(latter)).toEqual(['failover']);
      expect(waits(latter)).toEqual([3_000]);
      expectNoneTwice(former, latter);
    },
    120_000,
  );
});

describe.each(SLOT_CLIENTS)('slots on $server', (kind) => {
  faultTest('a survivor raises a row that forgot a window of it, and says so', async () => {
    // The database's clock stands still between the steps, so no window ends, however busy the machine is.
    const { url, database, executor, table, setClock } = await openClockedSlots(kind, {
      slots: 2,
      layout: '41+6+6',
    });
    const startedAt = Date.now();
    await setClock({ atMs: startedAt });
    const survivor = await start({ name: 'order', database, table, startup: 'at-once' });
    const windows = (): number => survivor.generator.counters().refills;
    await survivor.take(10);
    const dump = await kind.dumpTable(url, table);
    await setClock({ atMs: startedAt + AHEAD_MS + 100 });
    await vi.waitUntil(() => windows() === 2, 60_000);
    await injectFault(() => dump.restoreTo(url));
    await setClock({ atMs: startedAt + WINDOW_MS + AHEAD_MS + 100 });
    await vi.waitUntil(() => windows() === 3, 60_000);
    expect(survivor.events).toContainEqual(expect.objectContaining({ type: 'regression', slot: 0 }));
    expect(causes(survivor)).toEqual(['restore']);
    // The third window begins where the second ended, of which the row knew nothing.
    const { rows } = await executor.execute(`SELECT until_ms FROM ${table} WHERE slot = 0`, []);
    expect(Number(rows[0]?.until_ms)).toBe(startedAt + 3 * WINDOW_MS);
    await setClock({ offsetMs: 0 });
    await survivor.take(BURST);
    expectNoneTwice(survivor);
  });
});
