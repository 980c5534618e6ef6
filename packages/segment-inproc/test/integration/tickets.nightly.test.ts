import type { IdGenerator } from '@ids/core';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { parseTicket, type SegmentEvent, type SequenceGroup } from '@ids/segment';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';

const database = inject('databaseUrl');

interface Tickets {
  readonly pool: pg.Pool;
  readonly options: { readonly database: string; readonly table: string; readonly name: string };
}

async function openTickets(
  groupOf: (pool: pg.Pool) => SequenceGroup | Promise<SequenceGroup>,
): Promise<Tickets> {
  const pool = openPostgresPool(database, { max: 2 });
  onTestFinished(() => pool.end());
  const [table, name] = [uniqueName('tickets'), '排队号'];
  await ensureSchema(fromPg(pool), { table });
  await createSequence(fromPg(pool), name, { table, group: await groupOf(pool) });
  return { pool, options: { database, table, name } };
}

/**
 * Groups of a fixed offset whose next day begins, by the database's clock, within the last of
 * so many seconds from now.
 */
async function dayEndingIn(pool: pg.Pool, seconds: number): Promise<SequenceGroup> {
  const { rows } = await pool.query(
    `SELECT to_char(make_interval(secs => abs(o)), 'HH24:MI:SS') AS clock, o < 0 AS west FROM (
       SELECT CASE WHEN left_over > 43200 THEN left_over - 86400 ELSE left_over END AS o FROM (
         SELECT 86400 - $1::int - to_char(now() AT TIME ZONE 'UTC', 'SSSS')::int AS left_over) d) e`,
    [seconds],
  );
  return { by: 'day', timeZone: `${rows[0].west ? '-' : '+'}${rows[0].clock}` };
}

/** Each day's tickets must be 1 to the last one: fails where one is missing or comes twice. */
function expectNoGaps(ids: readonly number[]): void {
  const days = new Map<string, number[]>();
  for (const id of ids) {
    const { group, number } = parseTicket(id);
    days.set(group, [...(days.get(group) ?? []), number]);
  }
  for (const numbers of days.values()) {
    const inOrder = numbers.toSorted((a, b) => a - b);
    expect(inOrder).toEqual(Array.from({ length: numbers.length }, (_, i) => i + 1));
  }
}

/** Calls in turn until ids of two days came; returns them in that order. */
async function untilNewDay(generator: IdGenerator<number>): Promise<number[]> {
  const ids = [await generator.next()];
  const [first = 0] = ids;
  while (parseTicket(ids.at(-1) ?? first).group === parseTicket(first).group)
    ids.push(await generator.next());
  return ids;
}

// With the clock of the database as it is: the day must not end before the first calls.
describe('segment-inproc over a sequence with days', () => {
  it.each([
    [2, -3_600_000],
    [3, 3_600_000],
  ])(
    'starts again at 1 when the day of its zone ends, %i s from now, whatever the clock of the process says (%i ms)',
    async (seconds, wrongMs) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(Date.now() + wrongMs);
      const { options, pool } = await openTickets((db) => dayEndingIn(db, seconds));
      const events: SegmentEvent[] = [];
      await using generator = await createSegmentInprocGenerator({
        ...options,
        minStep: 1_000,
        onEvent: (event) => events.push(event),
      });
      const first = parseTicket(await generator.next());
      expect(first.number).toBe(1);
      let last = first;
      for (
        let id = await generator.next();
        parseTicket(id).group === first.group;
        id = await generator.next()
      ) {
        const clock = `SELECT to_char(now() AT TIME ZONE $1::text, 'YYYYMMDD') AS today`;
        const zone = await pool.query(`SELECT time_zone FROM ${options.table}`);
        const { rows } = await pool.query(clock, [zone.rows[0].time_zone]);
        // It was given before this question, so its day may be over by now; but never the other way round.
        expect(rows[0].today >= parseTicket(id).group).toBe(true);
        last = parseTicket(id);
      }
      const after = parseTicket(await generator.next());
      expect(after.number).toBe(2);
      expect(after.group > first.group).toBe(true);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'discard', reason: expect.stringMatching(/day.* is over/) }),
      );
      expect(last.number).toBeGreaterThan(1);
    },
  );

  it('gives none of the old day once the database is in the new one', async () => {
    const { options, pool } = await openTickets((db) => dayEndingIn(db, 2));
    await using generator = await createSegmentInprocGenerator(options);
    const [first] = await generator.nextBatch(1);
    const { rows } = await pool.query(`SELECT time_zone FROM ${options.table}`);
    const clock = `SELECT to_char(now() AT TIME ZONE $1::text, 'YYYYMMDD') AS today`;
    const { group } = parseTicket(first ?? 0);
    while ((await pool.query(clock, [rows[0].time_zone])).rows[0].today === group);
    expect(() => generator.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    expect(parseTicket(await generator.next()).number).toBe(1);
  });

  it('leaves no gap with a step of 1, across the end of a day, for many callers of four generators', async () => {
    const { options } = await openTickets((db) => dayEndingIn(db, 3));
    const generators = await Promise.all(
      Array.from({ length: 4 }, () => createSegmentInprocGenerator({ ...options, minStep: 1, maxStep: 1 })),
    );
    const callers = generators.flatMap((generator) => [generator, generator, generator, generator]);
    const issued = await Promise.all(callers.map(untilNewDay));
    await Promise.all(generators.map((generator) => generator.close()));
    for (const ids of issued) expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expectNoGaps(issued.flat());
  });
});
