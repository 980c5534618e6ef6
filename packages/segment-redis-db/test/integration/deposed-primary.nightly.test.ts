import { startFaultProxy, uniqueName } from '@ids/local-services';
import {
  SQL_DIALECTS,
  type SqlAccount,
  type SqlReplication,
  type SqlServer,
} from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { SupersededReignError } from '@ids/segment';
import { createSequence, ensureSchema, segmentGrants } from '@ids/segment/sql';
import { openDatabase } from '@ids/store/open';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbEvent } from '../../src/index.js';
import { adminOf } from '../support/load.js';

/** What a promotion skips by default. */
const SKIP = 10_000_000;
/** More than a hash holds. */
const MANY = 100;
/** Longer than the calls that are refused at first. */
const REFUSED_MS = 5_000;

/** One process of the service, with everything it gave. */
async function openProcess(
  name: string,
  database: string,
  keyPrefix: string,
  refuseFormerPrimaryMs?: number,
) {
  // A deadline that refused calls reach soon.
  const steps = { minStep: 10, maxStep: 10, deadlineMs: 3_000 };
  const refusals: unknown[] = [];
  const reinstated: unknown[] = [];
  const onEvent = (event: SegmentRedisDbEvent) => {
    if (event.type === 'refill-failed') refusals.push(event.error);
    if (event.type === 'reinstated') reinstated.push(event);
  };
  const redis = inject('redisUrl');
  const generator = await createSegmentRedisDbGenerator({
    name,
    database,
    redis,
    keyPrefix,
    onEvent,
    refuseFormerPrimaryMs,
    ...steps,
  });
  onTestFinished(() => generator.close());
  const ids: number[] = [];
  /** Resolves with the greatest of these ids. */
  const take = async (count: number): Promise<number> => {
    const taken = await generator.nextBatch(count);
    ids.push(...taken);
    return Math.max(...taken);
  };
  return { generator, ids, take, refusals, reinstated };
}

type Process = Awaited<ReturnType<typeof openProcess>>;

function expectNoneTwice(...processes: readonly Process[]): void {
  const given = processes.flatMap(({ ids }) => ids);
  expect(given.length - new Set(given).size, `repeated of ${given.length}`).toBe(0);
}

const failureOf = (process: Process) => process.take(MANY).catch((error: unknown) => error);
const REFUSED = { code: 'ERR_IDS_UNAVAILABLE' };
const SUPERSEDED = expect.any(SupersededReignError);

/*
 * An asynchronous high-availability manager promotes a replica while the old primary only hangs. The old one
 * wakes, and until it is demoted it serves whoever is routed to it. Its row is as it left it, so by itself it
 * looks sound.
 */
describe.each(SQL_DIALECTS)('segment-redis-db beside a deposed primary on $server', (kind) => {
  let pair: SqlReplication;
  let account: SqlAccount;
  beforeAll(async () => {
    pair = await kind.startReplication();
    account = await kind.createAccount(pair.primary.url);
    const admin = await openDatabase(pair.primary.url, { max: 1 });
    await ensureSchema(admin);
    for (const name of ['prefixes', 'flushed', 'again']) await createSequence(admin, name);
    await admin.close();
    await account.run(segmentGrants(account.name, { dialect: kind.dialect }));
    await pair.caughtUp();
    // Both accept writes from now on, and the new primary has the rows as they were created.
    await pair.promote();
  }, 120_000);
  afterAll(async () => {
    await account?.close();
    await pair?.close();
  });

  /** Both servers, and a route to the old one that can lead to the other. */
  async function openRoute() {
    const addressOf = ({ port }: SqlServer) => ({ host: '127.0.0.1', port });
    const [old, successor] = [addressOf(pair.primary), addressOf(pair.replica)] as const;
    const route = await startFaultProxy({ target: old });
    onTestFinished(() => route.close());
    const urlOf = ({ port }: typeof old) => account.url.replace(/:\d+(?=\/)/, `:${port}`);
    const urls = { old: urlOf(old), successor: urlOf(successor), route: urlOf(route) };
    const lead = (server: typeof old) =>
      injectFault(() => {
        route.retarget(server);
        route.cut();
      });
    return { ...urls, leadToOld: () => lead(old), leadToSuccessor: () => lead(successor) };
  }

  faultTest('repeats nothing of a row that two hashes share, if a process comes back to it', async () => {
    const { old, successor, route, leadToOld, leadToSuccessor } = await openRoute();
    const [one, other] = [`${uniqueName('one')}:`, `${uniqueName('other')}:`];
    const routed = await openProcess('prefixes', route, one);
    // Never meets the successor itself, but its hash has ids from there.
    const stayed = await openProcess('prefixes', old, one);
    await routed.take(20);
    await stayed.take(20);

    await leadToSuccessor();
    expect(await routed.take(MANY)).toBeGreaterThan(SKIP);
    const moved = await openProcess('prefixes', successor, other);
    await moved.take(20);

    await leadToOld();
    const failures = [await failureOf(routed), await failureOf(stayed)];
    await moved.take(3 * MANY);
    await leadToSuccessor();
    await routed.take(MANY);
    await moved.take(MANY);

    expectNoneTwice(routed, stayed, moved);
    expect(failures).toMatchObject([REFUSED, REFUSED]);
    // Whichever of them had the lease.
    expect([...routed.refusals, ...stayed.refusals]).toContainEqual(SUPERSEDED);
  });

  faultTest('repeats nothing if a process comes back to it and the hash is gone', async () => {
    const { successor, route, leadToOld, leadToSuccessor } = await openRoute();
    const keyPrefix = `${uniqueName('flushed')}:`;
    const routed = await openProcess('flushed', route, keyPrefix);
    await routed.take(20);

    await leadToSuccessor();
    expect(await routed.take(MANY)).toBeGreaterThan(SKIP);
    const moved = await openProcess('flushed', successor, keyPrefix);
    // These ids only the hash and the successor know, and `moved` itself.
    await moved.take(3 * MANY);

    await leadToOld();
    await using admin = adminOf(inject('redisUrl'));
    await injectFault(() => admin.redis.del(`${keyPrefix}{flushed}`));
    const failure = await failureOf(routed);
    await leadToSuccessor();
    await routed.take(MANY);
    await moved.take(MANY);

    expectNoneTwice(routed, moved);
    expect(failure).toMatchObject(REFUSED);
    expect(routed.refusals).toContainEqual(SUPERSEDED);
  });

  faultTest(
    'goes on when the leadership came back to it, also in newcomers and without calls',
    async () => {
      const { old, successor, route, leadToOld, leadToSuccessor } = await openRoute();
      const [one, other] = [`${uniqueName('one')}:`, `${uniqueName('other')}:`];
      const routed = await openProcess('again', route, one, REFUSED_MS);
      await routed.take(20);
      await leadToSuccessor();
      expect(await routed.take(MANY)).toBeGreaterThan(SKIP);
      // Stays with the successor, as if that had not noticed either: neither may reach the other.
      const moved = await openProcess('again', successor, other, REFUSED_MS);
      const reached = await moved.take(MANY);

      await leadToOld();
      const newcomer = await openProcess('again', old, one, REFUSED_MS);
      const failures = await Promise.all([routed, newcomer].map(failureOf));
      const health = [routed, newcomer].map(({ generator }) => generator.health().status);
      const all = () => [routed, newcomer].flatMap(({ reinstated }) => reinstated);
      await expect.poll(all, { timeout: 60_000 }).toHaveLength(1);
      await expect.poll(() => newcomer.generator.health().lastError, { timeout: 60_000 }).toBeUndefined();
      expect(await newcomer.take(MANY)).toBeGreaterThan(reached + SKIP);
      for (const process of [routed, moved, await openProcess('again', old, one, REFUSED_MS)])
        await process.take(MANY);

      expectNoneTwice(routed, newcomer, moved);
      // One of them has the lease, and the other waits for its segment.
      expect(failures).toContainEqual(expect.objectContaining(REFUSED));
      expect(failures).toEqual([expect.any(Error), expect.any(Error)]);
      expect(health).toContain('down');
      expect([...routed.refusals, ...newcomer.refusals]).toContainEqual(SUPERSEDED);
      expect(all()).toHaveLength(1);
    },
    180_000,
  );
});
