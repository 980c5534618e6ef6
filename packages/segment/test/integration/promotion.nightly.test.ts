import type { SqlDialect, SqlReplication } from '@ids/local-services/dialects';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  openDatabase,
  type SqlExecutor,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  sequenceSql,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';

const SKIP = 1_000;

interface Pair {
  readonly replication: SqlReplication;
  readonly primary: SqlExecutor;
  /** Sources on the two servers; each knows nothing of the other. */
  readonly former: SqlSegmentSource;
  openLatter(options?: SqlSegmentSourceOptions): SqlSegmentSource;
}

async function openPair(
  { startReplication }: SqlDialect,
  options: SqlSegmentSourceOptions = {},
): Promise<Pair> {
  const replication = await startReplication();
  onTestFinished(() => replication.close());
  const open = async (url: string): Promise<SqlExecutor> => {
    const executor = await openDatabase(url);
    onTestFinished(() => executor.close());
    return executor;
  };
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

describe.each(SQL_DIALECTS)('a replica on $server that was promoted', (kind) => {
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
    expect(warnings).toContainEqual(expect.stringMatching(/promoted.*skips 1000 ids/));
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
    expect(warnings).toContainEqual(expect.stringMatching(/promoted.*refused until setFloor/));
    await expect(latter.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    const newReign = { cause: 'failover', skipped: 0 };
    const again = openLatter({ afterFailover: 0 });
    expect(await again.reserve('order', 10)).toEqual({ low: 101, high: 110, origin, newReign });
  });
});
