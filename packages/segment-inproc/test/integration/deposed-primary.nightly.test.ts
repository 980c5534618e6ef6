import { startFaultProxy } from '@ids/local-services';
import {
  SQL_DIALECTS,
  type SqlAccount,
  type SqlReplication,
  type SqlServer,
} from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { type SegmentEvent, SupersededReignError } from '@ids/segment';
import { createSequence, ensureSchema, openSqlSource, segmentGrants } from '@ids/segment/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { withExecutor } from '../support/subject.js';

const ORDERS = ['increasing', 'real-time'] as const;
/** What a promotion skips by default. */
const SKIP = 10_000_000;
/** More than a process holds in memory. */
const MANY = 100;
/** Longer than the calls that are refused at first. */
const REFUSED_MS = 4_000;

/** One process of the service, with everything it gave. */
async function openProcess(
  database: string,
  order: (typeof ORDERS)[number],
  name: string = order,
  refuseFormerPrimaryMs?: number,
) {
  const refusals: unknown[] = [];
  const reinstated: unknown[] = [];
  const onEvent = (event: SegmentEvent) => {
    if (event.type === 'refill-failed') refusals.push(event.error);
    if (event.type === 'reinstated') reinstated.push(event);
  };
  // A deadline that refused calls reach soon.
  const limits = { deadlineMs: 2_000, refuseFormerPrimaryMs };
  const options = { name, database, maxStep: 10, onEvent, ...limits };
  const generator = await (order === 'real-time'
    ? createSegmentInprocGenerator({ ...options, order })
    : createSegmentInprocGenerator({ ...options, minStep: 10 }));
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

/** Calls until it is served. */
async function untilServed({ take }: Awaited<ReturnType<typeof openProcess>>): Promise<number> {
  for (;;) {
    const taken = await take(MANY).catch((error: unknown) => error);
    if (typeof taken === 'number') return taken;
    expect(taken).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
  }
}

/*
 * An asynchronous high-availability manager promotes a replica while the old primary only hangs. The old one
 * wakes, and until it is demoted it serves whoever is routed to it. Its row is as it left it, so by itself it
 * looks sound.
 */
describe.each(SQL_DIALECTS)('segment-inproc beside a deposed primary on $server', (kind) => {
  let pair: SqlReplication;
  let account: SqlAccount;
  beforeAll(async () => {
    pair = await kind.startReplication();
    account = await kind.createAccount(pair.primary.url);
    await withExecutor(pair.primary.url, async (executor) => {
      await ensureSchema(executor);
      for (const order of ORDERS) {
        await createSequence(executor, order);
        await createSequence(executor, `${order} again`);
      }
    });
    await account.run(segmentGrants(account.name, { dialect: kind.dialect }));
    await pair.caughtUp();
    // Both accept writes from now on, and the new primary has the rows as they were created.
    await pair.promote();
  }, 120_000);
  afterAll(async () => {
    await account?.close();
    await pair?.close();
  });

  /** Where the row of the old primary is. */
  const maxIdOf = async (order: string): Promise<number> => {
    const source = await openSqlSource({ database: pair.primary.url });
    const { maxId } = await source.describe(order);
    await source.close();
    return maxId;
  };

  /** Both servers, and a route to the old one that can lead to the other. */
  async function openRoute() {
    const addressOf = ({ port }: SqlServer) => ({ host: '127.0.0.1', port });
    const [old, successor] = [addressOf(pair.primary), addressOf(pair.replica)] as const;
    const route = await startFaultProxy({ target: old });
    onTestFinished(() => route.close());
    const lead = (server: typeof old) =>
      injectFault(() => {
        route.retarget(server);
        route.cut();
      });
    const urlOf = ({ port }: typeof old) => account.url.replace(/:\d+(?=\/)/, `:${port}`);
    return { old, successor, route, lead, urlOf };
  }

  for (const order of ORDERS) {
    faultTest(`repeats nothing if a process comes back to it, with order "${order}"`, async () => {
      const { old, successor, route, lead, urlOf } = await openRoute();
      const routed = await openProcess(urlOf(route), order);
      // Never meets the successor, so nothing tells it to stop. Its ids stay below those that the promotion
      // skipped, but only as long as the old primary issues fewer than that.
      const stayed = await openProcess(urlOf(old), order);
      await routed.take(20);
      await stayed.take(20);

      await lead(successor);
      expect(await routed.take(MANY)).toBeGreaterThan(SKIP);
      const moved = await openProcess(urlOf(successor), order);
      await moved.take(20);

      const stoodAt = await maxIdOf(order);
      await lead(old);
      const refused = await routed.take(MANY).catch((error: unknown) => error);
      expect(await maxIdOf(order), 'what refused calls reserved of the old primary').toBe(stoodAt);
      const belowSkip = await stayed.take(MANY);
      await moved.take(3 * MANY);
      await lead(successor);
      await routed.take(MANY);
      await moved.take(MANY);

      const given = [routed, stayed, moved].flatMap(({ ids }) => ids);
      expect(given.length - new Set(given).size, `repeated of ${given.length}`).toBe(0);
      expect(refused).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
      expect(routed.refusals).toContainEqual(expect.any(SupersededReignError));
      expect(belowSkip).toBeLessThan(SKIP);
    });

    faultTest(
      `goes on when the leadership came back to it, with order "${order}"`,
      async () => {
        const { old, successor, route, lead, urlOf } = await openRoute();
        const open = (url: string) => openProcess(url, order, `${order} again`, REFUSED_MS);
        const routed = [await open(urlOf(route)), await open(urlOf(route))] as const;
        const stayed = await open(urlOf(old));
        for (const { take } of [...routed, stayed]) await take(20);
        await lead(successor);
        for (const { take } of routed) expect(await take(MANY)).toBeGreaterThan(SKIP);
        // Stays with the successor, as if that had not noticed either: neither may reach the other.
        const moved = await open(urlOf(successor));
        const reached = await moved.take(MANY);

        await lead(old);
        const failures = await Promise.all(
          routed.map(({ take }) => take(MANY).catch((error: unknown) => error)),
        );
        const health = routed.map(({ generator }) => generator.health());
        for (const low of await Promise.all(routed.map(untilServed))) {
          expect(low).toBeGreaterThan(reached + SKIP);
        }
        for (const { take } of [...routed, stayed, moved, await open(urlOf(old))]) await take(2 * MANY);

        const given = [...routed, stayed, moved].flatMap(({ ids }) => ids);
        expect(given.length - new Set(given).size, `repeated of ${given.length}`).toBe(0);
        expect(failures).toMatchObject([{ code: 'ERR_IDS_UNAVAILABLE' }, { code: 'ERR_IDS_UNAVAILABLE' }]);
        // Ids that are in memory are still issued.
        const status = order === 'increasing' ? 'degraded' : 'down';
        const bad = { status, lastError: { code: 'ERR_IDS_UNAVAILABLE' } };
        expect(health).toMatchObject([bad, bad]);
        expect(routed.flatMap(({ reinstated }) => reinstated)).toHaveLength(1);
      },
      60_000,
    );
  }
});
