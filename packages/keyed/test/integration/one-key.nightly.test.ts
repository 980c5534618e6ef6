import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { GROUP_CAPACITY, parseTicket } from '@ids/segment';
import { createSequence, setFloor } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeKey, ensureKeyedSchema, keyedGrants, raiseKey } from '../../src/sql/index.js';
import { hold, openExecutor, openKeyDatabase, openSource, reserve } from './key-database.js';
import { openTickets, untilTomorrow } from './midnight.js';

const SKIP = 100;
const skips = { afterFailover: 3 * SKIP, afterRestore: SKIP };
const LAST = 2 ** 53 - 1;
const DAY = GROUP_CAPACITY.day;
/** How long before its midnight a day is looked at, in seconds; and far from any midnight. */
const SOON = 4;
const QUIET = 40_000;

/** The id before the first one of the day after that of a ticket. */
function dayAfter(id: number): number {
  const { group } = parseTicket(id);
  const [year, month, day] = [group.slice(0, 4), group.slice(4, 6), group.slice(6)].map(Number);
  const next = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, (day ?? 0) + 1));
  return Number(next.toISOString().slice(0, 10).replaceAll('-', '')) * DAY;
}

/** Runs `act` after the first statement that contains `word`, before its answer is there. */
function afterFirst(executor: SqlExecutor, word: string, act: () => Promise<void>): SqlExecutor {
  let over = false;
  return new Proxy(executor, {
    get: (target, name: keyof SqlExecutor) => {
      const member: unknown = target[name];
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        const answer: unknown = await member.apply(target, given);
        if (!over && String(given[0]).includes(word)) {
          over = true;
          await act();
        }
        return answer;
      };
    },
  });
}

/** What makes the row one of another database. */
const ANOTHER = {
  postgres: 'system_id = system_id + 1',
  mysql: 'reign_table = 1',
  sqlite: "reign_server = 'other'",
};

describe.each(ALL_DIALECTS)('describeKey and raiseKey on $server', (kind) => {
  it('show where a key stands, and where a new one will start', async () => {
    const { executor, source, table } = await openKeyDatabase(kind, { startAfter: 7 });
    const family = { maxId: 7, pending: undefined };
    const settled = { pending: undefined, superseded: false, lockedBy: undefined, family };
    expect(await describeKey(executor, 'message', 'a', { table })).toEqual({
      ...settled,
      maxId: undefined,
      nextAbove: 7,
    });
    await reserve(await source(), ['a']);
    expect(await describeKey(executor, 'message', 'a', { table })).toEqual({
      ...settled,
      maxId: 17,
      nextAbove: 17,
    });
  });

  it('raise a key, and never lower it; a new one starts above the floor', async () => {
    const { executor, source, table } = await openKeyDatabase(kind, { startAfter: 7 });
    const keyed = await source();
    await reserve(keyed, ['known', 'other']);
    expect(await raiseKey(executor, 'message', 'known', 500, { table })).toBe(500);
    // Twice, and later with less.
    expect(await raiseKey(executor, 'message', 'known', 500, { table })).toBe(500);
    expect(await raiseKey(executor, 'message', 'known', 20, { table })).toBe(500);
    for (const checked of [false, true]) {
      expect(await raiseKey(executor, 'message', `new ${checked}`, 1_000, { table, checked })).toBe(1_000);
      // Not below where new keys start.
      expect(await raiseKey(executor, 'message', `low ${checked}`, 3, { table, checked })).toBe(7);
    }
    const issued = await reserve(
      keyed,
      ['known', 'other', 'new true', 'new false', 'low true', 'low false'],
      1,
    );
    expect(issued).toEqual([501, 18, 1_001, 1_001, 8, 8]);
  });

  it('show and raise a key of tickets in the day that is now', async () => {
    const { executor, source, table } = await openTickets(kind, SOON);
    const keyed = await source();
    const [high = 0] = await reserve(keyed, ['known']);
    const today = high - 10;
    const stands = (key: string) => describeKey(executor, 'message', key, { table });
    const family = { maxId: today };
    expect(await stands('known')).toMatchObject({ maxId: high, nextAbove: high, family });
    expect(await stands('new')).toMatchObject({ maxId: undefined, nextAbove: today, family });
    await untilTomorrow(keyed);
    const tomorrow = dayAfter(high);
    const later = { nextAbove: tomorrow, family: { maxId: tomorrow } };
    expect(await stands('known')).toMatchObject({ maxId: high, ...later });
    expect(await stands('new')).toMatchObject({ maxId: undefined, ...later });
    // A floor of an earlier day raises the key, which stands in this one all the same.
    for (const key of ['known', 'new']) {
      expect(await raiseKey(executor, 'message', key, high + 5, { table })).toBe(tomorrow);
      expect(await stands(key)).toMatchObject(later);
    }
    expect(await stands('known')).toMatchObject({ maxId: high + 5 });
    expect(await reserve(keyed, ['known', 'new'], 1)).toEqual([tomorrow + 1, tomorrow + 1]);
  });

  it('take a floor of tickets in a day that has begun, and refuse any other', async () => {
    const { executor, source, table } = await openTickets(kind, QUIET);
    const keyed = await source();
    const [high = 0] = await reserve(keyed, ['known']);
    const today = high - 10;
    const raise = (key: string, floor: number) => raiseKey(executor, 'message', key, floor, { table });
    for (const key of ['known', 'new']) {
      for (const floor of [500, 42 * DAY, dayAfter(high), dayAfter(high) + 1, 2099_13_01 * DAY + 1, LAST]) {
        const said = `floor must be the date of a day that has begun and a number in it, such as ${today + 42} for number 42, and at most ${today + DAY - 1}, got ${floor}`;
        await expect(raise(key, floor)).rejects.toThrow(new RangeError(said));
      }
    }
    expect(await describeKey(executor, 'message', 'known', { table })).toMatchObject({ maxId: high });
    expect(await describeKey(executor, 'message', 'new', { table })).toMatchObject({ maxId: undefined });
    expect(await raise('known', today + 700)).toBe(today + 700);
    expect(await raise('new', today + 700)).toBe(today + 700);
    // Where the day begins.
    expect(await raise('newer', today)).toBe(today);
    expect(await reserve(keyed, ['known', 'new', 'newer'], 1)).toEqual([today + 701, today + 701, today + 1]);
    // All of a day: the key goes on in the next one.
    expect(await raise('new', today + DAY - 1)).toBe(today + DAY - 1);
    expect(await describeKey(executor, 'message', 'new', { table })).toMatchObject({ nextAbove: undefined });
    expect(await reserve(keyed, ['new'], 1)).toEqual([Number.NaN]);
  });

  it('take a floor of the next day in the last minute, as a reservation does', async () => {
    const { executor, source, table } = await openTickets(kind, 30);
    const keyed = await source();
    const [high = 0] = await reserve(keyed, ['known']);
    const ahead = dayAfter(high) + 3;
    for (const key of ['known', 'new']) {
      expect(await raiseKey(executor, 'message', key, ahead, { table })).toBe(ahead);
      expect(await describeKey(executor, 'message', key, { table })).toMatchObject({ nextAbove: ahead });
    }
    expect(await reserve(keyed, ['known', 'new'], 1)).toEqual([ahead + 1, ahead + 1]);
  });

  it('say that ids to skip do not fit in a day of tickets', async () => {
    const { executor, source, session, table, keys } = await openTickets(kind, QUIET);
    await reserve(await source(), ['known']);
    for (const name of [table, keys]) await session.query(`UPDATE ${name} SET ${ANOTHER[kind.dialect]}`);
    for (const key of ['known', 'new']) {
      const nextAbove = async (afterRestore: number) =>
        (await describeKey(executor, 'message', key, { table, afterRestore })).nextAbove;
      expect(await nextAbove(SKIP)).toBeGreaterThan(SKIP);
      expect(await nextAbove(DAY)).toBeUndefined();
    }
  });

  it('are nothing that the grant log takes for a reservation', async () => {
    const { executor, source, session, table, keys } = await openKeyDatabase(kind, { log: true });
    await reserve(await source({ log: true }), ['known']);
    for (const key of ['known', 'new']) await raiseKey(executor, 'message', key, 500, { table });
    const logged = await session.query(`SELECT 1 FROM ${keys}_log`);
    expect(logged).toHaveLength(1);
  });

  it('say what is wrong with what they were given', async () => {
    const { executor, table } = await openKeyDatabase(kind);
    for (const ask of [
      () => describeKey(executor, 'missing', 'a', { table }),
      () => raiseKey(executor, 'missing', 'a', 5, { table }),
    ]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringContaining('"missing"'),
      });
    }
    await expect(describeKey(executor, 'message', '\ud800', { table })).rejects.toThrow(TypeError);
    await expect(raiseKey(executor, 'message', '\ud800', 5, { table })).rejects.toThrow(TypeError);
    for (const floor of [0, -1, 1.5, LAST + 1]) {
      await expect(raiseKey(executor, 'message', 'a', floor, { table })).rejects.toThrow(
        new RegExp(`floor must be a whole number .*, got ${floor}`),
      );
    }
    expect(await raiseKey(executor, 'message', 'full', LAST, { table })).toBe(LAST);
  });

  it('raise a key that is made while they run', async () => {
    const { executor, source, table } = await openKeyDatabase(kind);
    const keyed = await source();
    const made: number[] = [];
    // Somebody else makes the key once the first statement has not found it.
    const beside = afterFirst(executor, 'UPDATE', async () => {
      made.push(...(await reserve(keyed, ['born'], 1)));
    });
    expect(await raiseKey(beside, 'message', 'born', 40, { table })).toBe(40);
    expect(made).toEqual([1]);
    expect(await reserve(keyed, ['born'], 1)).toEqual([41]);
  });

  it('repeat no id in generators that make the key at that moment', async () => {
    const { executor, open, table } = await openKeyDatabase(kind);
    const generators = [await open(), await open()];
    for (let round = 0; round < 10; round++) {
      const key = `born ${round}`;
      const [stands, ...ids] = await Promise.all([
        raiseKey(executor, 'message', key, 40, { table }),
        ...generators.map((generator) => generator.next(key)),
      ]);
      expect(stands).toBeGreaterThanOrEqual(40);
      expect(new Set(ids).size).toBe(2);
      for (const generator of generators) expect(await generator.next(key)).toBeGreaterThan(40);
    }
    for (const generator of generators) await generator.close();
  });

  faultTest('keep what a restore costs, above the floor, also for a key that it has lost', async () => {
    const { url, executor, source, table, keys } = await openKeyDatabase(kind);
    const keyed = await source(skips);
    await reserve(keyed, ['known', 'checked']);
    const dumps = await Promise.all([table, keys].map((name) => kind.dumpTable(url, name)));
    await reserve(keyed, ['known', 'checked', 'lost', 'lost checked'], 40);
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(url);
    });
    const nextAbove = async (key: string) =>
      (await describeKey(executor, 'message', key, { table, ...skips })).nextAbove;
    expect(await describeKey(executor, 'message', 'known', { table, ...skips })).toMatchObject({
      maxId: 10,
      nextAbove: 10 + SKIP,
      pending: 'restore',
      family: { maxId: 0, pending: 'restore' },
    });
    expect(await nextAbove('lost')).toBe(SKIP + 1);
    // Too low, as if nobody had seen the last ones.
    expect(await raiseKey(executor, 'message', 'known', 30, { table })).toBe(30);
    expect(await raiseKey(executor, 'message', 'lost', 30, { table })).toBe(30);
    for (const key of ['checked', 'lost checked']) {
      expect(await raiseKey(executor, 'message', key, 50, { table, checked: true })).toBe(50);
    }
    const all = ['known', 'lost', 'checked', 'lost checked', 'new'];
    const expected = await Promise.all(all.map(nextAbove));
    expect(expected).toEqual([30 + SKIP, 30 + SKIP, 50, 50, SKIP + 1]);
    expect(await reserve(await source(skips), all, 1)).toEqual(expected.map((above) => Number(above) + 1));
    // And after that nothing more.
    expect(await nextAbove('lost')).toBe(31 + SKIP);
  });

  faultTest('leave refused what a restore has refused, unless it was checked', async () => {
    const { url, executor, source, table, keys } = await openKeyDatabase(kind);
    const refusing = { afterFailover: 'refuse', afterRestore: 'refuse' } as const;
    const keyed = await source(refusing);
    await reserve(keyed, ['known']);
    const dumps = await Promise.all([table, keys].map((name) => kind.dumpTable(url, name)));
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(url);
    });
    for (const key of ['known', 'lost']) {
      expect(await raiseKey(executor, 'message', key, 30, { table })).toBe(30);
      const { nextAbove } = await describeKey(executor, 'message', key, { table, ...refusing });
      expect(nextAbove).toBeUndefined();
      await expect(reserve(keyed, [key])).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    }
    await setFloor(executor, 'message', 30, { table, checked: true });
    const refused = { refused: expect.objectContaining({ code: 'ERR_IDS_REGRESSED' }) };
    for (const key of ['known', 'lost']) {
      const ask = () => keyed.reserve('message', [{ key, size: 1 }], { wait: true });
      expect((await ask()).keys).toEqual([refused]);
      await raiseKey(executor, 'message', key, 40, { table, checked: true });
      expect((await ask()).keys).toEqual([{ high: 41, isNew: false }]);
    }
  });

  // A file has no accounts and no replica.
  if (kind.dialect === 'sqlite') return;

  it('need no more rights than a service has', async () => {
    const { executor, url, source, session, table, keys } = await openKeyDatabase(kind);
    await reserve(await source(), ['known']);
    const account = await kind.createAccount(url);
    onTestFinished(() => account.close());
    const grants = keyedGrants(account.name, { table, dialect: kind.dialect });
    for (const statement of grants.split(';\n').filter(Boolean)) await account.run(statement);
    const service = await openExecutor(account.url);
    expect(await raiseKey(service, 'message', 'known', 50, { table, checked: true })).toBe(50);
    expect(await raiseKey(service, 'message', 'new', 50, { table })).toBe(50);
    const release = await hold(session, kind.lockRows(keys));
    for (const one of [service, executor]) {
      const { maxId, lockedBy } = await describeKey(one, 'message', 'new', { table });
      expect({ maxId, lockedBy }).toEqual({
        maxId: 50,
        lockedBy: expect.stringMatching(
          kind.dialect === 'mysql' ? /INNODB_TRX/ : /^process \d+, role .*(?:, |$)/,
        ),
      });
    }
    await release();
    expect(await describeKey(service, 'message', 'new', { table })).toMatchObject({ lockedBy: undefined });
  });

  faultTest('keep what a failover costs, and raise a deposed primary only there', async () => {
    const replication = await kind.startReplication();
    onTestFinished(() => replication.close());
    const former = await openExecutor(replication.primary.url);
    await ensureKeyedSchema(former);
    await createSequence(former, 'message');
    const before = await openSource(replication.primary.url, skips);
    await reserve(before, ['known']);
    await replication.caughtUp();
    await injectFault(() => replication.cutOff());
    await reserve(before, ['known', 'lost'], 40);
    await injectFault(() => replication.promote());
    const latter = await openExecutor(replication.replica.url);
    for (const key of ['known', 'lost']) {
      await expect(raiseKey(latter, 'message', key, 45)).resolves.toBe(45);
      expect(await describeKey(latter, 'message', key, skips)).toMatchObject({
        maxId: 45,
        pending: 'failover',
        nextAbove: 45 + 3 * SKIP,
      });
      // The one that still answers knows nothing of it.
      expect(await raiseKey(former, 'message', key, 70)).toBe(70);
      expect(await describeKey(former, 'message', key, skips)).toMatchObject({ maxId: 70, nextAbove: 70 });
    }
    const after = await openSource(replication.replica.url, skips);
    expect(await reserve(after, ['known', 'lost'], 1)).toEqual([46 + 3 * SKIP, 46 + 3 * SKIP]);
    expect(await reserve(before, ['known', 'lost'], 1)).toEqual([71, 71]);
  });
});
