import { setTimeout as pause } from 'node:timers/promises';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import { parseTicket, type SequenceGroup } from '../../src/index.js';
import { createSequence, type SqlExecutor, SqlSegmentSource, setFloor } from '../../src/sql/index.js';
import { ALL_DIALECTS } from './dialects.js';

const NAME = 'ticket';
const GROUP = { by: 'day', timeZone: '+08:00' } as const;
const CAPACITY = 100_000_000;

/** Answers come `holdMs()` milliseconds after the database gave them. */
function heldBack(executor: SqlExecutor, holdMs: () => number): SqlExecutor {
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const given = await answer;
    await pause(holdMs());
    return given;
  };
  return new Proxy(executor, {
    get: (target, name: keyof SqlExecutor) => {
      const member: unknown = target[name];
      return typeof member === 'function' ? (...given: unknown[]) => after(member(...given)) : member;
    },
  });
}

describe.each(ALL_DIALECTS)('a sequence with groups on $server', ({ open, lower }) => {
  async function openTickets() {
    const database = await open();
    const { executor, table } = database;
    await createSequence(executor, NAME, { table, group: GROUP });
    return { ...database, source: new SqlSegmentSource(executor, { table, afterRestore: 0 }) };
  }

  it('gives disjoint ranges to callers that ask at the same time', async () => {
    const { source } = await openTickets();
    const segments = await Promise.all(Array.from({ length: 20 }, () => source.reserve(NAME, 3)));
    expect(segments.map(({ low }) => parseTicket(low).number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => 3 * i + 1),
    );
  });

  it('says which groups it has', async () => {
    const { source } = await openTickets();
    expect((await source.describe(NAME)).group).toEqual(GROUP);
  });

  it('ends with the last number of the day, and never runs into the next', async () => {
    const { source, executor, table } = await openTickets();
    const { low } = await source.reserve(NAME, 1);
    await setFloor(executor, NAME, low - 1 + CAPACITY - 3, { table });
    await expect(source.reserve(NAME, 3)).rejects.toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: expect.stringMatching(/\b2 of 99999999\b/),
    });
    expect(parseTicket((await source.reserve(NAME, 2)).high).number).toBe(CAPACITY - 1);
    await expect(source.reserve(NAME, 1)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });

  it('refuses ids of a day that is far from having begun', async () => {
    const { source, executor, table } = await openTickets();
    const { low } = await source.reserve(NAME, 1);
    const wrong = { code: 'ERR_IDS_CLOCK' };
    // At least two days ahead, in whatever month.
    const future = low + 99 * CAPACITY;
    await expect(source.reserve(NAME, 1, { floor: future })).rejects.toMatchObject(wrong);
    await setFloor(executor, NAME, future, { table });
    await expect(source.reserve(NAME, 1)).rejects.toMatchObject(wrong);
  });

  it('gives ids that expire with their group, however late the answer about them comes', async () => {
    const { executor, table } = await open();
    await createSequence(executor, NAME, { table, group: { by: 'year', timeZone: '+08:00' } });
    let holdMs = 0;
    const source = new SqlSegmentSource(
      heldBack(executor, () => holdMs),
      { table },
    );
    await source.reserve(NAME, 1);
    const sentAt = performance.now();
    const { expiresAt: expected = 0 } = await source.reserve(NAME, 1);
    const tookMs = performance.now() - sentAt;
    // Far above what it may differ by: the server read its clock at some moment of that call, in whole
    // milliseconds.
    holdMs = 50 + 4 * tookMs;
    const { expiresAt = 0 } = await source.reserve(NAME, 1);
    expect(expiresAt).toBeGreaterThan(performance.now());
    expect(expiresAt).toBeLessThanOrEqual(expected + tookMs + 1);
  });

  faultTest('is raised above what was given today when the table went back to another day', async () => {
    const { source, run, table } = await openTickets();
    const { high } = await source.reserve(NAME, 50);
    await injectFault(async () => {
      for (const statement of lower(table, NAME, 2026010100000007)) await run(statement);
    });
    expect(parseTicket((await source.reserve(NAME, 5)).low).number).toBe(1);
    expect(await source.reserve(NAME, 5, { floor: high })).toMatchObject({ low: high + 1 });
  });

  it('is not taken for one with other groups when it is created again', async () => {
    const { executor, table } = await openTickets();
    const create = (group?: SequenceGroup) => createSequence(executor, NAME, { table, group });
    expect(await create(GROUP)).toMatchObject({ created: false, group: GROUP });
    for (const other of [undefined, { ...GROUP, by: 'month' }, { ...GROUP, timeZone: '+09:00' }] as const) {
      await expect(create(other)).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/\bday\b.*\+08:00/),
      });
    }
  });
});
