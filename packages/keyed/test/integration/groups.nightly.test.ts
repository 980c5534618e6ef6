import { ALL_DIALECTS, SQL_DIALECTS } from '@ids/local-services/dialects';
import { parseTicket, type SequenceGroup } from '@ids/segment';
import { createSequence, setFloor } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { deleteKey, whoIssued } from '../../src/sql/index.js';
import { type KeyDatabase, openKeyDatabase, reserve } from './key-database.js';
import { openTickets, untilTomorrow } from './midnight.js';

/** How long before its midnight a day is looked at, in seconds; and far from any midnight. */
const SOON = 4;
const QUIET = 40_000;

const DIGITS = { day: 8, month: 6, year: 4 };

const numbersOf = (highs: readonly number[]): number[] => highs.map((high) => parseTicket(high).number);

describe.each(ALL_DIALECTS)('a family with groups on $server', (kind) => {
  it('has one row for each key, whatever the day, and says its groups', async () => {
    const { source, session, keys, group } = await openTickets(kind, SOON);
    const keyed = await source();
    expect((await keyed.describe('message')).group).toEqual(group);
    expect(numbersOf(await reserve(keyed, ['a', 'b']))).toEqual([10, 10]);
    const today = parseTicket((await keyed.highest('message', 'a')) ?? 0).group;
    await untilTomorrow(keyed);
    // The highest id of a key that was not used since is of the day before.
    expect(parseTicket((await keyed.highest('message', 'b')) ?? 0)).toEqual({ group: today, number: 10 });
    expect(numbersOf(await reserve(keyed, ['a', 'b', 'new']))).toEqual([10, 10, 10]);
    const rows = await session.query(`SELECT 1 FROM ${keys} `);
    // One is that of the clock.
    expect(rows).toHaveLength(4);
  });

  it.each([
    ['-03:30', -12_600],
    ['+05:45', 20_700],
    ['-14:00:30', -50_430],
    ['UTC', 0],
  ])('counts by the clock of the server in the zone %s', async (timeZone, aheadSeconds) => {
    const { executor, table, source } = await openKeyDatabase(kind);
    const keyed = await source();
    const today = (by: keyof typeof DIGITS): string =>
      new Date(Date.now() + aheadSeconds * 1_000).toISOString().replaceAll('-', '').slice(0, DIGITS[by]);
    for (const by of ['day', 'month', 'year'] as const) {
      await createSequence(executor, by, { table, group: { by, timeZone } });
      const before = today(by);
      const { keys } = await keyed.reserve(by, [{ key: 'a', size: 7 }], { wait: true });
      const [answer] = keys;
      const ticket = parseTicket(answer !== undefined && 'high' in answer ? answer.high : 0, { by });
      expect(ticket.number).toBe(7);
      expect([before, today(by)]).toContain(ticket.group);
    }
  });

  it('is found out by a source that has not described it', async () => {
    const { source } = await openTickets(kind, QUIET);
    const keyed = await source();
    const answer = await keyed.reserve('message', [{ key: 'a', size: 3 }], { wait: false });
    expect(answer.keys).toEqual([
      { high: expect.any(Number), isNew: true, newReign: undefined, expiresAt: expect.any(Number) },
    ]);
    expect(numbersOf(await reserve(keyed, ['a']))).toEqual([13]);
  });

  it('skips above a floor of today, and nothing above one of the day before', async () => {
    const { source } = await openTickets(kind, QUIET);
    const keyed = await source({ afterRestore: 100 });
    const [today = 0] = (await reserve(keyed, ['a'])).map((high) => high - 10);
    const request = async (key: string, floor: number): Promise<number> => {
      const { keys } = await keyed.reserve('message', [{ key, size: 1, floor }], { wait: true });
      const [answer] = keys;
      return answer !== undefined && 'high' in answer ? answer.high - today : Number.NaN;
    };
    expect(await request('a', today - 1)).toBe(11);
    expect(await request('new', today - 500)).toBe(1);
    expect(await request('a', today + 50)).toBe(151);
    expect(await request('newer', today + 50)).toBe(151);
  });

  it('refuses ids to skip that do not fit in a day, until the next one', async () => {
    const { source, session, table } = await openTickets(kind, QUIET);
    const keyed = await source({ afterRestore: 99_999_990 });
    const [high = 0] = await reserve(keyed, ['a']);
    const request = { key: 'a', size: 1, floor: high + 20 };
    const { keys } = await keyed.reserve('message', [request], { wait: true });
    expect(keys).toEqual([
      {
        refused: expect.objectContaining({
          code: 'ERR_IDS_REGRESSED',
          message: expect.stringMatching(/99999990 ids to skip do not fit in the day 20\d{6}; it goes on in/),
        }),
      },
    ]);
    expect(await session.query(`SELECT 1 FROM ${table} WHERE max_id > 0`)).toEqual([]);
    expect(await reserve(keyed, ['a'])).toEqual([high + 10]);
  });

  it('starts new keys above a deleted one for the rest of its day', async () => {
    const database = await openTickets(kind, SOON);
    const { source, executor, table } = database;
    const keyed = await source();
    await reserve(keyed, ['gone', 'kept']);
    expect(await deleteKey(executor, 'message', 'gone', { table })).toBe(true);
    // The deletion takes an id itself.
    expect(numbersOf(await reserve(keyed, ['gone', 'new', 'kept']))).toEqual([21, 21, 20]);
    await untilTomorrow(keyed);
    expect(numbersOf(await reserve(keyed, ['gone', 'newer', 'kept']))).toEqual([10, 10, 10]);
  });

  it('starts new keys above a family that was raised, and startAfter above that, in its day only', async () => {
    const { source, executor, table } = await openTickets(kind, SOON);
    const keyed = await source();
    const [today = 0] = (await reserve(keyed, ['a'])).map((high) => high - 10);
    await setFloor(executor, 'message', today + 700, { table, checked: true });
    const begin = async (key: string): Promise<number> => {
      for (;;) {
        const request = { key, size: 1, startAfter: 50 };
        const { keys } = await keyed.reserve('message', [request], { wait: true });
        const [answer] = keys;
        // On MariaDB the first one finds out that the family has changed.
        if (answer !== undefined && 'high' in answer) return parseTicket(answer.high).number;
      }
    };
    expect(await begin('b')).toBe(751);
    await untilTomorrow(keyed);
    expect(await begin('c')).toBe(51);
    expect(numbersOf(await reserve(keyed, ['b', 'c']))).toEqual([10, 61]);
  });

  it('is taken as it is by a source that knew it without groups', async () => {
    const { source, session, table } = await openKeyDatabase(kind);
    const keyed = await source();
    expect(await reserve(keyed, ['a'])).toEqual([10]);
    await session.query(`UPDATE ${table} SET group_by = 'day', time_zone = 'UTC'`);
    const another = await source();
    const [high = 0] = await reserve(another, ['a']);
    expect(parseTicket(high).number).toBe(10);
    // New keys are given their start with the row of the family.
    const answers = [await reserve(keyed, ['new']), await reserve(keyed, ['new'])].flat();
    expect(parseTicket(answers.filter((one) => one > 0).at(-1) ?? 0).group).toBe(parseTicket(high).group);
  });

  it('says who issued a ticket', async () => {
    const { source, executor, table } = await openTickets(kind, QUIET, { log: true });
    const keyed = await source({ log: true, owner: 'counter 3' });
    const [high = 0] = await reserve(keyed, ['a']);
    const found = await whoIssued(executor, 'message', 'a', high - 4, { table });
    expect(found).toMatchObject({ status: 'granted', grants: [{ owner: 'counter 3', low: high - 9, high }] });
  });

  it('opens only with the groups that are asked for', async () => {
    const { open, group } = await openTickets(kind, QUIET);
    await using generator = await open({ group });
    const ids = await generator.nextBatch('a', 3);
    expect(numbersOf(ids)).toEqual([1, 2, 3]);
    expect(await generator.highest('a')).toBe(ids.at(-1));
    for (const other of [
      { ...group, by: 'month' },
      { ...group, timeZone: '+13:13' },
    ] as SequenceGroup[]) {
      await expect(open({ group: other })).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringContaining(`has groups by day in ${group.timeZone}`),
      });
    }
  });
});

describe('a family with a zone whose clocks are set', () => {
  it('begins its days by those clocks on Postgres', async () => {
    const [kind] = SQL_DIALECTS;
    if (kind === undefined) throw new Error('no Postgres');
    const { executor, source, session, table }: KeyDatabase = await openKeyDatabase(kind, {
      family: 'other',
    });
    const group = { by: 'day', timeZone: 'Asia/Shanghai' } as const;
    await createSequence(executor, 'message', { table, group });
    const today = async (): Promise<unknown> =>
      (await session.query(`SELECT to_char(now() AT TIME ZONE 'Asia/Shanghai', 'YYYYMMDD') AS today`))[0]
        ?.today;
    const before = await today();
    const [high = 0] = await reserve(await source(), ['a']);
    expect([before, await today()]).toContain(parseTicket(high).group);
  });
});
