import type { KeyedIdGenerator } from '@ids/core';
import { keyTableOf } from '@ids/keyed/sql';
import { offsetWithMidnightIn, startFaultProxy } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { parseTicket, type SequenceGroup } from '@ids/segment';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { clientOf, KeyedFamily, SKIP } from '../support/keyed-family.js';

/** How long before its midnight a day is looked at, in seconds. */
const SOON = 4;

const daysEndingIn = (seconds: number): SequenceGroup => ({
  by: 'day',
  timeZone: offsetWithMidnightIn(seconds),
});

async function openTickets(seconds: number) {
  const group = daysEndingIn(seconds);
  const family = await KeyedFamily.create(inject('databaseUrl'), group);
  const sql = `SELECT to_char(now() AT TIME ZONE $1::interval, 'YYYYMMDD') AS today`;
  /** The date by the clock of the database. */
  const today = async (): Promise<string> => (await family.pool.query(sql, [group.timeZone])).rows[0].today;
  return { family, group, today };
}

/** One ticket: not of a day that was over when the call was made. */
async function ticketOf(
  generator: KeyedIdGenerator<number>,
  key: string,
  today: () => Promise<string>,
): Promise<ReturnType<typeof parseTicket>> {
  const before = await today();
  const ticket = parseTicket(await generator.next(key));
  expect(ticket.group >= before, `a ticket of ${ticket.group} on ${before}`).toBe(true);
  return ticket;
}

describe('tickets by key over Redis', () => {
  it('begin anew at midnight by the clock of the database, whatever Redis still holds', async () => {
    const { family, group, today } = await openTickets(SOON);
    const [one, other] = [await family.open(undefined, { group }), await family.open()];
    const first = await ticketOf(one, 'a', today);
    expect(first.number).toBe(1);
    // A key of which 19 are left, and which nobody uses until the next day.
    expect((await ticketOf(other, 'unused', today)).number).toBe(1);
    let last = first;
    for (let turn = 0; ; turn++) {
      const ticket = await ticketOf(turn % 2 === 0 ? other : one, 'a', today);
      expect(ticket.number).toBe(ticket.group === last.group ? last.number + 1 : 1);
      last = ticket;
      if (ticket.group !== first.group) break;
    }
    const { group: tomorrow } = last;
    expect(await ticketOf(one, 'a', today)).toEqual({ group: tomorrow, number: 2 });
    expect(parseTicket((await one.highest('unused')) ?? 0)).toEqual({ group: first.group, number: 1 });
    for (const key of ['unused', 'new']) {
      expect(await ticketOf(one, key, today)).toEqual({ group: tomorrow, number: 1 });
      expect(await ticketOf(other, key, today)).toEqual({ group: tomorrow, number: 2 });
    }
  });

  it('open only with the groups that are asked for', async () => {
    const { family, group } = await openTickets(40_000);
    await expect(family.open(undefined, { group: { ...group, by: 'month' } })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('has groups by day'),
    });
  });

  faultTest('are given to those who waited for them, and to nobody else, if they come too late', async () => {
    const { family, today } = await openTickets(2 * SOON);
    const { hostname, port } = new URL(family.database);
    const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
    onTestFinished(() => proxy.close());
    // Nobody refills for a process that is slow.
    const patient = { deadlineMs: 60_000, lockMs: 60_000 };
    const slow = await family.open(undefined, { ...patient, database: proxy.url(family.database) });
    const yesterday = (await ticketOf(slow, 'other', today)).group;
    // Long enough to see the row before the answer is there.
    await injectFault(() => proxy.delay(1_000));
    let arrived = false;
    const waiting = slow.next('a').finally(() => {
      arrived = true;
    });
    const row = `SELECT FROM ${keyTableOf(family.table)} WHERE sequence_key = 'a'`;
    await expect.poll(async () => (await family.pool.query(row)).rowCount).toBe(1);
    await injectFault(async () => {
      await proxy.setMode('blackhole');
      proxy.delay(0);
    });
    expect(await today()).toBe(yesterday);
    while ((await today()) === yesterday);
    expect(arrived, 'the ticket of yesterday is still on its way').toBe(false);
    // Somebody else asks after midnight, while the segment is on its way and its lease lasts.
    const fast = await family.open(undefined, patient);
    const late = fast.next('a');
    await injectFault(() => proxy.setMode('pass'));
    const [ticket, next] = [parseTicket(await waiting), parseTicket(await late)];
    expect(ticket).toEqual({ group: yesterday, number: 1 });
    expect(next.group > yesterday).toBe(true);
    expect(next.number).toBe(1);
    // The 19 that came with it are a gap.
    expect(parseTicket(await slow.next('a'))).toEqual({ group: next.group, number: 2 });
  });

  faultTest(
    'are repeated neither by Redis nor by a database that was restored to the day before',
    async () => {
      const { family, today } = await openTickets(SOON);
      const generator = await family.open();
      const yesterday = (await ticketOf(generator, 'a', today)).group;
      const restore = await family.dump();
      while ((await today()) === yesterday);
      // Of two segments of 20, so that 15 are left in Redis.
      await family.take(generator, ['a', 'lost'], 25);
      await restore();
      await family.take(generator, ['a', 'lost'], 30);
      await family.take(await family.open(), ['a', 'lost'], 30);
      family.expectSound(85);
      expect(family.eventsOf('new-reign')).not.toHaveLength(0);
      for (const ids of family.issued.values()) {
        expect(parseTicket(ids[0] ?? 0).number).toBe(1);
        expect(parseTicket(ids.at(-1) ?? 0).number).toBeGreaterThan(SKIP);
      }
    },
  );

  faultTest('have a highest one also when the first of a day is there and not taken', async () => {
    const { family, today } = await openTickets(SOON);
    const { hostname, port } = new URL(family.database);
    const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
    onTestFinished(() => proxy.close());
    const generator = await family.open(undefined, {
      database: proxy.url(family.database),
      deadlineMs: 60_000,
    });
    const ids = await generator.nextBatch('a', 10);
    await injectFault(() => proxy.delay(SOON * 1_000));
    // Now half of the 20 are taken, and the next 20 are reserved ahead: in the next day.
    ids.push(await generator.next('a'));
    const last = parseTicket(ids.at(-1) ?? 0);
    const before = family.eventsOf('refill').length;
    while ((await today()) === last.group);
    await expect.poll(() => family.eventsOf('refill').length, { timeout: 20_000 }).toBe(before + 1);
    await injectFault(() => proxy.delay(0));
    const highest = parseTicket((await generator.highest('a')) ?? 0);
    expect(highest.group > last.group).toBe(true);
    expect(await ticketOf(generator, 'a', today)).toEqual({ group: highest.group, number: 1 });
  });

  faultTest('end at midnight although the clock of Redis was set back meanwhile', async () => {
    const { family, today } = await openTickets(SOON);
    const generator = await family.open();
    const { group: yesterday, number } = await ticketOf(generator, 'a', today);
    expect(number).toBe(1);
    const redis = clientOf();
    // What it wrote an hour ago by its clock is in the future now.
    await injectFault(async () => {
      const fields = String(await redis.get(family.recordOf('a'))).split(' ');
      const [since = '', until = ''] = [fields[7], fields[10]];
      fields[7] = String(Number(since) + 3_600_000);
      fields[10] = `${Number(until.replace('!', '')) + 3_600_000}!`;
      await redis.set(family.recordOf('a'), fields.join(' '));
    });
    while ((await today()) === yesterday);
    const [, until] = / (\d+)!$/.exec(String(await redis.get(family.recordOf('a')))) ?? [];
    expect(Number(until), 'when the ids would be over by that clock').toBeGreaterThan(Date.now());
    expect((await ticketOf(generator, 'a', today)).number).toBe(1);
  });

  faultTest('go on without a gap if the day is not over after the clock of Redis was set back', async () => {
    const { family, today } = await openTickets(40_000);
    const generator = await family.open();
    await ticketOf(generator, 'a', today);
    const redis = clientOf();
    await injectFault(async () => {
      const fields = String(await redis.get(family.recordOf('a'))).split(' ');
      fields[7] = String(Number(fields[7]) + 3_600_000);
      await redis.set(family.recordOf('a'), fields.join(' '));
    });
    const before = family.eventsOf('refill').length;
    // The database says in which day it is, and that the ids in Redis are of it.
    expect((await ticketOf(generator, 'a', today)).number).toBe(2);
    expect(family.eventsOf('refill')).toHaveLength(before + 1);
    expect((await ticketOf(generator, 'a', today)).number).toBe(3);
  });
});
