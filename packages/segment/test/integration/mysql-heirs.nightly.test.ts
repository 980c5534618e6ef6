import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import {
  type AfterReignChange,
  createSequence,
  ensureSchema,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { executorThrough } from './dialects.js';

const MARIADB = SQL_CLIENTS.filter(({ dialect }) => dialect === 'mysql').slice(0, 1);

describe.each(MARIADB)('a former primary on $server whose table is optimized while it answers', (kind) => {
  /** What it and its successor reserve then, each as its own server decides. */
  async function optimizeFormer(after?: AfterReignChange) {
    const replication = await kind.startReplication();
    onTestFinished(() => replication.close());
    const [former, latter] = [
      await executorThrough(kind, replication.primary.url),
      await executorThrough(kind, replication.replica.url),
    ];
    await ensureSchema(former);
    await createSequence(former, 'order');
    const options = { afterFailover: after, afterRestore: after };
    // The distance between two lanes depends on what is used.
    await new SqlSegmentSource(former, options).reserve('order', 1_000_000);
    await replication.caughtUp();
    const createdAt = async () => {
      const text = `SELECT CAST(CREATE_TIME AS char) AS at FROM information_schema.TABLES
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'id_segment'`;
      return (await former.execute(text, [])).rows[0]?.at;
    };
    await replication.promote();
    await injectFault(async () => {
      // A table is known by the second in which it was created.
      const created = await createdAt();
      while ((await createdAt()) === created) await former.execute('OPTIMIZE TABLE id_segment', []);
    });
    const on = (server: typeof former) => new SqlSegmentSource(server, options).reserve('order', 1_000_000);
    return { former: await on(former), latter: await on(latter) };
  }

  faultTest('skips to other ids than its successor', async () => {
    const { former, latter } = await optimizeFormer();
    expect([former.newReign?.cause, latter.newReign?.cause]).toEqual(['restore', 'failover']);
    expect(former.high).toBeLessThan(latter.low);
  });

  faultTest('skips to the same ids where both are numbers', async () => {
    const { former, latter } = await optimizeFormer(10_000_000);
    expect(former.low).toBe(latter.low);
  });
});
