import type { Health, IdGenerator } from '@ids/core';
import { startRedisReplication, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { SegmentSource } from '@ids/segment';
import { describe, expect, inject, it } from 'vitest';
import { DispenserHash } from '../../src/dispenser-hash.js';
import type { SegmentRedisDbEvent } from '../../src/index.js';
import { beforeServed } from '../support/before-served.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { LockedTable } from '../support/locked-table.js';
import { MUTANTS, type Mutant } from '../support/mutant.js';
import { ResendingClient } from '../support/resending-client.js';

const url = inject('redisUrl');

describe('the high-water mark', () => {
  /**
   * The table and the hash both go back while A, whose own refill hangs, holds greater ids. B has seen none
   * of them. Returns the ids of A, then that of B.
   */
  async function newcomerAfterLoss(mutant?: Mutant): Promise<number[]> {
    await using table = await LockedTable.create(uniqueName('mark'));
    await using fixture = new Fixture(uniqueName('mark'), mutant);
    const paused = new GatedSource(table.source());
    const a = await fixture.generator(url, { source: paused, step: 100, lockMs: 60_000, deadlineMs: 60_000 });
    await a.ready();
    // More than the low-water mark is left, so no refill is under way.
    const ofA = await a.nextBatch(40);
    paused.shut();
    await injectFault(() => table.goBackTo(0));
    await injectFault(() => fixture.client(url).del(fixture.key));
    const waiting = a.nextBatch(1);
    await beforeServed([waiting], paused.held());
    // What A reserved on the way is lost as well.
    await injectFault(() => table.goBackTo(0));
    const b = await fixture.generator(url, { source: table.source(), step: 10, lockMs: 10 });
    const given = [...ofA, await b.next()];
    await paused.close();
    await waiting;
    return given;
  }

  faultTest('tells a newcomer what others were given, when table and hash are both lost', async () => {
    const given = await newcomerAfterLoss();
    expect(new Set(given).size).toBe(given.length);
    expect(given.at(-1)).toBeGreaterThan(40);
  });

  faultTest('would not, if takes did not raise it', async () => {
    const given = await newcomerAfterLoss(MUTANTS.markNotRaised);
    expect(given.at(-1)).toBeLessThanOrEqual(40);
  });

  it('refuses a segment that begins at the mark itself', async () => {
    await using fixture = new Fixture(uniqueName('edge'));
    const { hash, lease, mark } = await installer(fixture);
    expect(await hash.install(lease, { low: mark, high: mark + 9 }, [])).toBe('LOW');
    expect(await hash.install(lease, { low: mark + 1, high: mark + 10 }, [])).toBe('OK');
  });
});

/** A hash whose ids are all given, and a lease for it. */
async function installer(fixture: Fixture, maxHeld = Number.POSITIVE_INFINITY) {
  const generator = await fixture.generator(url, { step: 10 });
  await generator.ready();
  await generator.close();
  const redis = fixture.client(url);
  const [generation, m] = await redis.hmget(fixture.key, 'g', 'm');
  await redis.hset(fixture.key, 'v_l', Number(m) + 1);
  const options = { lockMs: 10, owner: 'test', waitReplicas: 0, maxHeld };
  const { redis: dispensing } = fixture.connect(url);
  const hash = new DispenserHash({ redis: dispensing, key: fixture.key, ...options });
  return { hash, mark: Number(m), lease: { generation: generation ?? '', floor: 0, debt: 0, room: 5 } };
}

describe('what the hash holds', () => {
  it('is no more than the room of a lease and one segment, also of segments that follow each other', async () => {
    await using fixture = new Fixture(uniqueName('room'));
    const { hash, lease, mark } = await installer(fixture);
    expect(await hash.install(lease, { low: mark + 1, high: mark + 5 }, [])).toBe('OK');
    expect(await hash.install(lease, { low: mark + 6, high: mark + 15 }, [])).toBe('OK');
    expect(await hash.install(lease, { low: mark + 16, high: mark + 25 }, [])).toBe('FULL');
  });

  it('is no more than maxIdsLost', async () => {
    await using fixture = new Fixture(uniqueName('held'));
    const { hash, lease, mark } = await installer(fixture, 12);
    expect(await hash.install(lease, { low: mark + 1, high: mark + 13 }, [])).toBe('FULL');
    expect(await hash.install(lease, { low: mark + 1, high: mark + 12 }, [])).toBe('OK');
  });
});

/** Two processes at a hash without ids, of which the first has the lease. */
async function leased(fixture: Fixture) {
  const { mark } = await installer(fixture);
  const redis = fixture.client(url);
  const realm = String(await redis.hget(fixture.key, 'r'));
  const settings = { lockMs: 60_000, owner: 'test', waitReplicas: 0, maxHeld: Number.POSITIVE_INFINITY };
  const open = () => {
    return new DispenserHash({ redis: fixture.connect(url).redis, key: fixture.key, ...settings });
  };
  const request = { count: 0, lowWater: 5, mayRefill: true, last: 0, top: 0, maxDebt: 0, realm, reigns: [] };
  const [first, second] = [open(), open()];
  const { lease } = await first.take(request);
  if (lease === undefined) throw new Error('no lease, although nothing is left');
  const leaseOfSecond = async () => (await second.take(request)).lease;
  expect(await leaseOfSecond()).toBeUndefined();
  return { first, second, lease, leaseOfSecond, request, mark };
}

describe('the refill lease', () => {
  it('ends with the install that it was for', async () => {
    await using fixture = new Fixture(uniqueName('ends'));
    const { first, lease, leaseOfSecond, mark } = await leased(fixture);
    expect(await first.install(lease, { low: mark + 1, high: mark + 2 }, [])).toBe('OK');
    expect(await leaseOfSecond()).toMatchObject({ floor: mark + 2 });
  });

  it('is given back by its holder only, and in its generation only', async () => {
    await using fixture = new Fixture(uniqueName('back'));
    const { first, second, lease, leaseOfSecond, mark } = await leased(fixture);
    await second.release(lease);
    expect(await leaseOfSecond(), 'by another process').toBeUndefined();
    await first.release({ ...lease, generation: 'lost' });
    expect(await leaseOfSecond(), 'in another generation').toBeUndefined();
    await first.release(lease);
    expect(await leaseOfSecond()).toMatchObject({ floor: mark });
  });
});

it('books no more ids than the most debt, of all processes together', async () => {
  await using fixture = new Fixture(uniqueName('debt'));
  const { first, second, request } = await leased(fixture);
  const book = async (hash: DispenserHash, count: number) =>
    (await hash.take({ ...request, count, maxDebt: 5 })).booking;
  expect(await book(first, 3)).toMatchObject({ offset: 0, owed: 3 });
  expect(await book(second, 3)).toBe('full');
  expect(await book(second, 2)).toMatchObject({ offset: 3, owed: 2 });
});

it('says which reigns it knows to whoever does not know the latest, also on the way without a refill', async () => {
  await using fixture = new Fixture(uniqueName('reigns'));
  const { first, second, lease, request, mark } = await leased(fixture);
  await first.install(lease, { low: mark + 1, high: mark + 100 }, ['b', 'a']);
  for (const count of [0, 1, 80]) {
    const told = async (reigns: string[]) => (await second.take({ ...request, count, reigns })).reigns;
    expect(await told(['a']), `by a take of ${count}`).toEqual(['b', 'a']);
  }
  expect((await second.take({ ...request, count: 1, reigns: ['b'] })).reigns).toEqual([]);
});

describe('refills that lose races', () => {
  it('go on expecting the sequence, as long as the winners installed what they reserved', async () => {
    await using fixture = new Fixture(uniqueName('races'));
    const expected: (number | undefined)[] = [];
    let race: (() => Promise<unknown>) | undefined;
    const source: SegmentSource = {
      describe: (name) => fixture.source.describe(name),
      async reserve(name, size, options) {
        expected.push(options?.expectedMaxId);
        await race?.();
        return fixture.source.reserve(name, size, options);
      },
      async close() {},
    };
    const generator = await fixture.generator(url, { source, step: 10, lockMs: 10 });
    await generator.ready();
    const rival = await fixture.generator(url, { step: 10, lockMs: 10 });
    // The rival takes what is left and one id more, so it refills when the lease has
    // lapsed, and leaves nine.
    race = () => rival.nextBatch(6);
    await generator.nextBatch(5);
    for (let refills = 2; refills <= 5; refills++) {
      await expect
        .poll(async () => {
          await generator.ready();
          return expected.length;
        })
        .toBeGreaterThanOrEqual(refills);
      if (refills === 4) race = undefined;
      await generator.nextBatch(4);
    }
    expect(expected).not.toContain(undefined);
  });
});

describe('a process', () => {
  it('drops ids at or below those that it has, whatever the hash says', async () => {
    await using fixture = new Fixture(uniqueName('tampered'));
    const events: SegmentRedisDbEvent[] = [];
    const healthAtRefill: Health[] = [];
    const onEvent = (event: SegmentRedisDbEvent) => {
      if (event.type === 'refill' && events.length > 2) healthAtRefill.push(generator.health());
      events.push(event);
    };
    const generator: IdGenerator<number> = await fixture.generator(url, { step: 100, onEvent });
    const given = await generator.nextBatch(50);
    // Ten ids are left, and the segment that follows them lies below.
    const next = Math.max(...given) + 1;
    await fixture.client(url).hset(fixture.key, 'v_h', next + 9, 'n_l', 1, 'n_h', 40);
    // The ten ids, and then those below: one take returns both.
    const first = await generator.nextBatch(11);
    const more = [...first, ...(await generator.nextBatch(9))];
    const rejected = { low: 1, high: 1 };
    expect(events).toContainEqual({
      type: 'regression',
      name: 'order',
      floor: next + 9,
      segment: rejected,
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'discard', segment: rejected }));
    expect(healthAtRefill.at(-1)).toMatchObject({
      status: 'degraded',
      lastError: { code: 'ERR_IDS_REGRESSED' },
    });
    expect(generator.health()).toMatchObject({ status: 'ok', lastRegression: expect.anything() });
    expect(generator.counters?.()).toMatchObject({ regressions: 1, idsDiscarded: 1 });
    expect(more).toHaveLength(20);
    expect(Math.min(...more)).toBe(next);
    expect(more).toEqual([...more].sort((a, b) => a - b));
    expect(new Set([...given, ...more]).size).toBe(70);
  });
});

describe('a database that goes back under a dispenser', () => {
  faultTest('is an event, and is raised above all that was given', async () => {
    await using table = await LockedTable.create(uniqueName('back'));
    await using fixture = new Fixture(uniqueName('back'));
    const events: SegmentRedisDbEvent[] = [];
    const onEvent = (event: SegmentRedisDbEvent) => void events.push(event);
    const generator = await fixture.generator(url, { source: table.source(), step: 100, onEvent });
    await generator.ready();
    const given = await generator.nextBatch(40);
    await injectFault(() => table.goBackTo(0));
    given.push(...(await generator.nextBatch(150)));
    expect(new Set(given).size).toBe(190);
    expect(given).toEqual([...given].sort((a, b) => a - b));
    expect(events.filter(({ type }) => type === 'regression')).toMatchObject([{ floor: 100 }]);
    expect(await table.maxId()).toBeGreaterThanOrEqual(Math.max(...given));
  });
});

describe('a refill whose replies are lost', () => {
  const options = { step: 100, deadlineMs: 20_000, lockMs: 60_000 };

  faultTest('is asked of the same process again, not of another when the lease has lapsed', async () => {
    await using fixture = new Fixture(uniqueName('lease'));
    const redis = new ResendingClient(fixture.connect(url).redis);
    const generator = await fixture.generator(url, { ...options, redis });
    await generator.ready();
    await generator.nextBatch(49);
    // The take that leaves half a segment grants the lease, and its reply never comes.
    const lost = await injectFault(() => redis.loseReplyOf('take'));
    const call = generator.nextBatch(1);
    await lost?.ran;
    expect(await fixture.client(url).hget(fixture.key, 'k')).not.toBe('');
    await call;
    await expect
      .poll(async () => (await fixture.source.describe('order')).maxId, { timeout: 10_000 })
      .toBeGreaterThan(100);
    await lost?.resend();
  });

  faultTest('is asked of the same process again, when it got the lease as it collected', async () => {
    await using fixture = new Fixture(uniqueName('lease'));
    const admin = fixture.client(url);
    const redis = new ResendingClient(fixture.connect(url).redis);
    const generator = await fixture.generator(url, { ...options, redis });
    await generator.ready();
    // Another process holds the lease, and will not refill.
    await injectFault(() => admin.hset(fixture.key, 'k', 'gone', 'kx', Date.now() + 30_000));
    expect(await admin.hget(fixture.key, 'k')).toBe('gone');
    const call = generator.nextBatch(150);
    const first = await injectFault(() => redis.loseReplyOf('collect'));
    await first?.ran;
    const second = await injectFault(() => redis.loseReplyOf('collect'));
    await injectFault(() => admin.hset(fixture.key, 'kx', 1));
    await second?.ran;
    expect(await admin.hget(fixture.key, 'k')).toMatch(/-/);
    expect(await call).toHaveLength(150);
    await Promise.all([first?.resend(), second?.resend()]);
  });

  faultTest('is reported once, as a refill, although its install ran twice', async () => {
    await using fixture = new Fixture(uniqueName('twice'));
    const events: SegmentRedisDbEvent[] = [];
    const redis = new ResendingClient(fixture.connect(url).redis);
    const lost = await injectFault(() => redis.loseReplyOf('install'));
    const onEvent = (event: SegmentRedisDbEvent) => void events.push(event);
    const generator = await fixture.generator(url, { ...options, redis, onEvent });
    const [first] = await beforeReply(generator.nextBatch(1), lost);
    expect(events).toEqual([]);
    await lost?.resend();
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(events).toMatchObject([{ type: 'refill', segment: { low: first, high: 100 } }]);
    expect(generator.health()).toMatchObject({ status: 'ok' });
  });

  async function beforeReply<T>(call: Promise<T>, lost: { readonly ran: Promise<void> } | undefined) {
    await lost?.ran;
    return call;
  }
});

describe('collecting with waitReplicas', () => {
  faultTest('gives nothing before a replica has the segment', async () => {
    await using replication = await startRedisReplication({ throughProxy: true });
    await using fixture = new Fixture('ids:');
    const { primary, links } = replication;
    const source = new GatedSource(fixture.source);
    const generator = await fixture.generator(primary.url, {
      source,
      step: 10,
      waitReplicas: 1,
      deadlineMs: 60_000,
    });
    await generator.nextBatch(10);
    source.shut();
    const admin = fixture.client(primary.url);
    const field = async (name: string) => Number(await admin.hget(fixture.key, name));
    // Whatever was fetched ahead, until a call has to book.
    let call = generator.nextBatch(1);
    const given: number[] = [];
    while ((await field('d')) === 0) {
      const ids = await Promise.race([call, source.held().then(() => undefined)]);
      if (ids === undefined) continue;
      given.push(...ids);
      call = generator.nextBatch(1);
    }
    await injectFault(() => links[0]?.setMode('blackhole'));
    await source.close();
    await expect.poll(() => field('d'), { timeout: 10_000 }).toBe(0);
    // Looked at more than once, and each time without the replica.
    const claims = await admin.info('commandstats');
    await beforeServed(
      [call],
      expect
        .poll(async () => waits(await admin.info('commandstats')) - waits(claims), { timeout: 20_000 })
        .toBeGreaterThan(1),
    );
    await injectFault(() => links[0]?.setMode('pass'));
    expect(await call).toHaveLength(1);
  });

  function waits(info: string): number {
    return Number(/cmdstat_wait:calls=(\d+)/.exec(info)?.[1] ?? 0);
  }
});
