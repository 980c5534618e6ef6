import { setTimeout as pause } from 'node:timers/promises';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSnowflakeGenerator, layoutOf, parseSnowflake, type SnowflakeEvent } from '../../src/index.js';
import { createSlots, slotTable } from '../../src/sql/index.js';
import { openClockedSlots, SLOT_CLIENTS } from '../support/open-clocked-slots.js';

const HOUR_MS = 3_600_000;
const LAYOUT = layoutOf('41+10+12');

function timeOf(id: bigint): number {
  return parseSnowflake(id, LAYOUT).ms;
}

describe.each(SLOT_CLIENTS)('slots on $server', (kind) => {
  for (const offset of [-HOUR_MS, HOUR_MS]) {
    it(`a process whose clock is ${offset / HOUR_MS} h off stamps ids with the time of the database`, async () => {
      const { database, table } = await openClockedSlots(kind, { slots: 2 });
      const systemNow = Date.now;
      vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + offset);
      onTestFinished(() => void vi.restoreAllMocks());
      await using generator = await createSnowflakeGenerator({
        name: 'order',
        table,
        database,
        startup: 'at-once',
      });
      const [id] = await generator.nextBatch(2);
      expect(Math.abs(timeOf(id ?? 0n) - systemNow())).toBeLessThan(60_000);
    });
  }

  faultTest(
    'a database clock that jumps forward costs the slot and a wait, and repeats nothing',
    async () => {
      const { database, table, setClock } = await openClockedSlots(kind, { slots: 2 });
      const events: SnowflakeEvent[] = [];
      await using generator = await createSnowflakeGenerator({
        name: 'order',
        table,
        database,
        startup: 'at-once',
        onEvent: (event) => events.push(event),
      });
      const ids = await generator.nextBatch(1_000);
      await injectFault(() => setClock({ offsetMs: HOUR_MS }));
      const passed = () => timeOf(ids.at(-1) ?? 0n) - timeOf(ids[0] ?? 0n) >= HOUR_MS;
      while (!passed() && generator.counters().refills < 4) {
        ids.push(await generator.next());
        await pause(10);
      }
      expect(passed()).toBe(true);
      expect(events).toContainEqual({ type: 'lapse', name: 'order', slot: 0, reason: 'lapsed' });
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  faultTest(
    'a database clock that is set back stops a generator until it is right again, and repeats nothing',
    async () => {
      const { database, table, setClock } = await openClockedSlots(kind, { slots: 3, layout: '41+6+6' });
      const options = { name: 'order', table, database, startup: 'at-once', as: 'number' } as const;
      await using generator = await createSnowflakeGenerator({ ...options, deadlineMs: 1_500 });
      const ids = await generator.nextBatch(1_000);
      await injectFault(() => setClock({ offsetMs: -HOUR_MS }));
      let failure: unknown;
      for (let call = 0; call < 30 && failure === undefined; call++) {
        const batch = await generator.nextBatch(50_000).catch((error: unknown) => {
          failure = error;
          return [];
        });
        for (const id of batch) ids.push(id);
      }
      expect(failure).toMatchObject({ code: 'ERR_IDS_CLOCK' });
      expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_CLOCK' } });
      // A slot that was never used has no time ahead of that clock.
      await using newcomer = await createSnowflakeGenerator(options);
      ids.push(...(await newcomer.nextBatch(1_000)));
      await injectFault(() => setClock({ offsetMs: 0 }));
      let last: number | undefined;
      while (last === undefined) last = await generator.next().catch(() => undefined);
      expect(last).toBeGreaterThan(ids[0] ?? 0);
      ids.push(last);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  faultTest(
    'a claim made while the database clock was ahead is made anew when it is right again',
    async () => {
      const { database, table, setClock } = await openClockedSlots(kind, { slots: 1 });
      await injectFault(() => setClock({ offsetMs: HOUR_MS }));
      const events: SnowflakeEvent[] = [];
      const onEvent = (event: SnowflakeEvent): unknown => events.push(event);
      const options = { name: 'order', table, database, deadlineMs: 30_000 };
      await using generator = await createSnowflakeGenerator({ ...options, onEvent });
      await injectFault(() => setClock({ offsetMs: 0 }));
      const id = await generator.next();
      expect(timeOf(id) - Date.now()).toBeLessThan(60_000);
      expect(events).toContainEqual({ type: 'lapse', name: 'order', slot: 0, reason: 'lapsed' });
    },
  );

  faultTest('a claim of a process that ended then keeps its slot from nobody', async () => {
    const { executor, table, setClock } = await openClockedSlots(kind, { slots: 1 });
    const slots = slotTable(executor, { name: 'order', table, layout: LAYOUT });
    const [killed, successor] = [crypto.randomUUID(), crypto.randomUUID()];
    await injectFault(() => setClock({ offsetMs: HOUR_MS }));
    expect(await slots.claim(killed)).toMatchObject({ slot: 0 });
    await injectFault(() => setClock({ offsetMs: 0 }));
    expect(await slots.holders()).toMatchObject({ slots: 1, holders: [] });
    expect(await slots.claim(successor)).toMatchObject({ slot: 0 });
    expect(await slots.open(0, killed, 0)).toMatchObject({ refusal: 'lost' });
    expect(await slots.open(0, successor, 0)).toMatchObject({ window: { slot: 0 } });
  });

  faultTest(
    'a start behind the time of all slots says that the clock went back, and what helps',
    async () => {
      const { executor, database, table, setClock } = await openClockedSlots(kind, { slots: 1 });
      const options = { name: 'order', table, database, startup: 'at-once', deadlineMs: 300 } as const;
      const ids: bigint[] = [];
      await injectFault(() => setClock({ offsetMs: HOUR_MS }));
      {
        await using former = await createSnowflakeGenerator(options);
        ids.push(...(await former.nextBatch(10)));
      }
      await injectFault(() => setClock({ offsetMs: 0 }));
      await expect(createSnowflakeGenerator(options)).rejects.toMatchObject({
        code: 'ERR_IDS_CLOCK',
        retryable: true,
        message: expect.stringMatching(/"order".*\b1\b.*Z.*Z.*Z.*createSlots.*\b1024\b/),
      });
      await createSlots(executor, 'order', { table, slots: 2 });
      await using newcomer = await createSnowflakeGenerator({ ...options, deadlineMs: 30_000 });
      ids.push(...(await newcomer.nextBatch(10)));
      expect(new Set(ids).size).toBe(20);
    },
  );
});
