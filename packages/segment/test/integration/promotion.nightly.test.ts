import { dumpTable } from '@ids/local-services';
import type { SqlDialect, SqlReplication } from '@ids/local-services/dialects';
import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  type SqlExecutor,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  sequenceSql,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { executorThrough } from './dialects.js';

const SKIP = 1_000;

interface Pair {
  readonly replication: SqlReplication;
  readonly primary: SqlExecutor;
  /** Sources on the two servers; each knows nothing of the other. */
  readonly former: SqlSegmentSource;
  openLatter(options?: SqlSegmentSourceOptions): SqlSegmentSource;
}

async function openPair(kind: SqlDialect, options: SqlSegmentSourceOptions = {}): Promise<Pair> {
  const replication = await kind.startReplication();
  onTestFinished(() => replication.close());
  const open = (url: string): Promise<SqlExecutor> => executorThrough(kind, url);
  const [primary, replica] = [await open(replication.primary.url), await open(replication.replica.url)];
  await ensureSchema(primary, { log: true });
  await createSequence(primary, 'order');
  const sourceOf = (executor: SqlExecutor, own: SqlSegmentSourceOptions) =>
    new SqlSegmentSource(executor, { log: true, afterFailover: SKIP, afterRestore: 0, ...options, ...own });
  return {
    replication,
    primary,
    former: sourceOf(primary, {}),
    openLatter: (own = {}) => sourceOf(replica, own),
  };
}

/** Ends the primary and promotes the replica. */
async function failOver({ primary, promote }: SqlReplication, how: 'immediate' | 'fast'): Promise<void> {
  await primary.stop(how);
  await promote();
}

describe.each(SQL_CLIENTS)('a replica on $server that was promoted', (kind) => {
  faultTest('repeats nothing that was reserved in commits which it lacks', async () => {
    const { replication, primary, former, openLatter } = await openPair(kind);
    await createSequence(primary, 'unused');
    await primary.execute(sequenceSql('migrated', { dialect: kind.dialect }).replace(/;\s*$/, ''), []);
    await former.reserve('order', 100);
    await replication.caughtUp();
    const latter = openLatter();
    await expect(latter.describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/standby|replica/),
    });
    await injectFault(() => replication.cutOff());
    const lost = await former.reserve('order', 50);
    await former.reserve('unused', 50);
    await former.reserve('migrated', 50);
    await injectFault(() => failOver(replication, 'immediate'));
    const { warnings } = await latter
      .describe('order')
      .catch((error: Error) => ({ warnings: [error.message] }));
    expect(warnings).toContainEqual(expect.stringMatching(/\b1000\b/));
    const newReign = { cause: 'failover', skipped: SKIP };
    const segment = await latter.reserve('order', 10);
    expect(segment).toEqual({ low: 101 + SKIP, high: 110 + SKIP, origin, newReign });
    expect(segment.low).toBeGreaterThan(lost.high);
    expect(await latter.reserve('order', 10)).not.toHaveProperty('newReign');
    // The replica has the row as createSequence left it.
    expect(await latter.reserve('unused', 10)).toEqual({ low: 1 + SKIP, high: 10 + SKIP, origin, newReign });
    // And this one as the SQL of a migration left it.
    expect(await latter.reserve('migrated', 10)).toEqual({
      low: 1 + SKIP,
      high: 10 + SKIP,
      origin,
      newReign,
    });
  });

  faultTest('is refused, or skips nothing, where that was asked for', async () => {
    const { replication, former, openLatter } = await openPair(kind, { afterFailover: 'refuse' });
    await former.reserve('order', 100);
    await replication.caughtUp();
    await injectFault(() => failOver(replication, 'fast'));
    const latter = openLatter();
    const { warnings } = await latter
      .describe('order')
      .catch((error: Error) => ({ warnings: [error.message] }));
    expect(warnings).toContainEqual(expect.stringContaining('setFloor'));
    await expect(latter.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    const newReign = { cause: 'failover', skipped: 0 };
    const again = openLatter({ afterFailover: 0 });
    expect(await again.reserve('order', 10)).toEqual({ low: 101, high: 110, origin, newReign });
  });
});

// On MariaDB and MySQL, servers have no order: two heirs of one row skip as far.
describe.each(SQL_CLIENTS.filter(({ dialect }) => dialect === 'postgres'))(
  'a deposed primary on $server that still answers',
  (kind) => {
    /** What the two servers reserve of a sequence whose row both of them have as `wound` left it. */
    async function heirsOf(
      wound: (pair: Pair) => Promise<void>,
      { floor, ...options }: SqlSegmentSourceOptions & { floor?: number } = {},
    ) {
      const pair = await openPair(kind, { afterRestore: SKIP, ...options });
      const { replication, former, openLatter } = pair;
      await former.reserve('order', 100);
      await wound(pair);
      await replication.caughtUp();
      await injectFault(() => replication.promote());
      const bounds = floor === undefined ? {} : { floor };
      return { byFormer: await former.reserve('order', 10, bounds), latter: openLatter(), bounds };
    }

    const restore = async ({ replication: { primary } }: Pair) => {
      const dump = await dumpTable(primary.url, 'id_segment');
      await injectFault(() => dump.restoreTo(primary.url));
    };

    faultTest('does not skip into the ids of its successor, if the row of both was restored', async () => {
      const { byFormer, latter } = await heirsOf(restore);
      expect(byFormer).toMatchObject({ low: 101 + SKIP, newReign: { cause: 'restore' } });
      const byLatter = await latter.reserve('order', 10);
      expect(byLatter).toMatchObject({ low: 101 + 2 * SKIP, newReign: { cause: 'restore' } });
    });

    faultTest('does not, either, if the row of both is below what callers have', async () => {
      const { byFormer, latter, bounds } = await heirsOf(async () => {}, { floor: 500 });
      expect(byFormer).toMatchObject({ low: 501 + SKIP });
      await expect(latter.reserve('order', 10, bounds)).resolves.toMatchObject({ low: 501 + 2 * SKIP });
    });

    faultTest('has a successor that refuses a restored row, if it refuses failovers', async () => {
      const { byFormer, latter } = await heirsOf(restore, { afterFailover: 'refuse' });
      expect(byFormer).toMatchObject({ low: 101 + SKIP });
      await expect(latter.reserve('order', 1)).rejects.toMatchObject({
        code: 'ERR_IDS_REGRESSED',
        message: expect.stringContaining('setFloor'),
      });
    });
  },
);
