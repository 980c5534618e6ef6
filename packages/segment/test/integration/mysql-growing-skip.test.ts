import { createMysqlAccount } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromMysql,
  lackingRights,
  missingSchema,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { DIALECTS } from './dialects.js';
import { openMysqlDatabase, openMysqlPool, pastCreation } from './mysql-database.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const BASE = 10_000_000;

const WITHOUT_PACE =
  'ALTER TABLE %t DROP minute_began, DROP minute_ids, DROP peak_rate, DROP seconds_lost, DROP reigns_lost';

async function openSequence() {
  const database = await openMysqlDatabase();
  const { pool, executor, table } = database;
  await createSequence(executor, 'order', { table });
  const newcomer = (options: object = {}) => new SqlSegmentSource(executor, { table, ...options });
  const run = async (sql: string) => (await pool.query(sql.replaceAll('%t', table)))[0] as never[];
  const warnings = async () => (await newcomer().describe('order')).warnings?.length ?? 0;
  return { ...database, newcomer, run, warnings };
}

it('counts ids by the minute on MariaDB, and keeps the rate of the busiest one', async () => {
  const { newcomer, run } = await openSequence();
  const source = newcomer();
  const age = (seconds: number) => run(`UPDATE %t SET minute_began = minute_began - ${seconds}`);
  const rate = async (): Promise<number> => {
    await source.reserve('order', 60);
    const [row] = await run('SELECT peak_rate FROM %t');
    return Object(row).peak_rate;
  };
  await source.reserve('order', 5_000);
  await source.reserve('order', 940);
  expect(await rate()).toBe(0);
  await age(61);
  expect(await rate()).toBe(100);
  await age(7 * DAY);
  expect(await rate()).toBeCloseTo(50, 1);
  // A minute in the future, by a clock that was wrong, does not last until then.
  await age(-2 * DAY);
  expect(await rate()).toBeCloseTo(50, 1);
  expect(await run('SELECT minute_began <= UNIX_TIMESTAMP() AS is_past FROM %t')).toEqual([{ is_past: 1 }]);
});

const MARIADB = DIALECTS.filter(({ dialect }) => dialect === 'mysql');

describe.each(MARIADB)('a dump of yesterday that is restored on $server', (kind) => {
  describe.each([1_000, 10_000, 100_000])('at %i ids a second', (rate) => {
    faultTest('repeats nothing, nor does it once more an hour later', async () => {
      const { executor, table, run, dump } = await kind.open();
      await createSequence(executor, 'order', { table });
      /** What is reserved in so many seconds. */
      const use = async (seconds: number) => {
        const source = new SqlSegmentSource(executor, { table });
        const { low, newReign } = await source.reserve('order', 1);
        let high = low;
        for (let left = rate * seconds; left > 0; left -= 1e9)
          ({ high } = await source.reserve('order', Math.min(left, 1e9)));
        return { low, high, newReign };
      };
      await use(60);
      const restore = await dump();
      const restoreAged = async (seconds: number) => {
        await restore();
        await run(`UPDATE %t SET minute_began = minute_began - ${seconds}`);
      };
      const lost = await use(DAY);
      await injectFault(() => restoreAged(DAY));
      const first = await use(HOUR);
      expect(first.newReign?.cause).toBe('restore');
      expect(first.low).toBeGreaterThan(lost.high);
      await injectFault(() => restoreAged(DAY + HOUR));
      expect((await use(HOUR)).low).toBeGreaterThan(first.high);
    });
  });
});

describe.each(MARIADB)('a dump that is restored twice on $server', (kind) => {
  faultTest('is below those who know the first skip, which is no jump', async () => {
    const { executor, table, dump } = await kind.open();
    await createSequence(executor, 'order', { table });
    const newcomer = () => new SqlSegmentSource(executor, { table, maxJump: 1_000 });
    await newcomer().reserve('order', 100);
    const restore = await dump();
    await restore();
    const { high: floor } = await newcomer().reserve('order', 10);
    await injectFault(() => restore());
    const { low, newReign } = await newcomer().reserve('order', 10, { floor });
    expect(low).toBeGreaterThan(floor);
    expect(newReign?.cause).toBe('restore');
  });
});

describe('a table of an older version on MariaDB', () => {
  it('skips the base, says so, and is brought up to date while it is used', async () => {
    const { executor, pool, table, newcomer, run, warnings } = await openSequence();
    const complete = await warnings();
    await run(WITHOUT_PACE);
    await run('UPDATE %t SET reign_table = 1');
    expect((await newcomer().reserve('order', 100)).newReign).toEqual({ cause: 'restore', skipped: BASE });
    expect(await warnings()).toBe(complete + 1);
    expect(await missingSchema(executor, { table })).toEqual(['guards']);
    expect((await lackingRights(executor, { table })).needed).toEqual([]);

    await pastCreation(pool, table);
    let isDone = false;
    const keepReserving = async () => {
      const [source, found] = [newcomer(), []] as [SqlSegmentSource, unknown[]];
      do found.push((await source.reserve('order', 10)).newReign);
      while (!isDone);
      return found;
    };
    const found = [keepReserving(), keepReserving()];
    await Promise.all([1, 2].map(() => ensureSchema(fromMysql(openMysqlPool()), { table })));
    isDone = true;
    expect(new Set((await Promise.all(found)).flat())).toEqual(new Set([undefined]));
    expect(await missingSchema(executor, { table })).toEqual([]);
    expect(await warnings()).toBe(complete);
    expect((await newcomer().reserve('order', 1)).newReign).toBeUndefined();
  });

  faultTest('skips once where this ends in the middle', async () => {
    const { pool, table, newcomer, run } = await openSequence();
    await run(WITHOUT_PACE);
    await newcomer().reserve('order', 100);
    await pastCreation(pool, table);
    const executor = fromMysql(pool);
    const dying: typeof executor = {
      ...executor,
      apart: (use) =>
        executor.apart((go) =>
          use((text) => (text.startsWith('UPDATE') ? Promise.reject(new Error('gone')) : go(text))),
        ),
    };
    await injectFault(() => expect(ensureSchema(dying, { table })).rejects.toThrow('gone'));
    await ensureSchema(executor, { table });
    const { newReign } = await newcomer().reserve('order', 1);
    expect(newReign).toMatchObject({ cause: 'restore', pace: {} });
    expect((await newcomer().reserve('order', 1)).newReign).toBeUndefined();
  });

  faultTest('is left as it is where somebody else uses it for long', async () => {
    const { pool, executor, table, newcomer, run } = await openSequence();
    await run(WITHOUT_PACE);
    const { high } = await newcomer().reserve('order', 100);
    const holder = await pool.getConnection();
    await injectFault(() => holder.query('START TRANSACTION'));
    await holder.query(`SELECT * FROM ${table}`);
    await expect(ensureSchema(executor, { table })).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    expect((await newcomer().describe('order')).maxId).toBe(high);
    await holder.query('COMMIT');
    holder.release();
    await ensureSchema(executor, { table });
    expect(await missingSchema(executor, { table })).toEqual([]);
  });

  faultTest('goes on where it is restored over a newer one that is in use', async () => {
    const { newcomer, run } = await openSequence();
    const source = newcomer();
    await source.reserve('order', 100);
    await injectFault(() => run(`${WITHOUT_PACE}, ADD other int`));
    await run('UPDATE %t SET reign_table = 1');
    const [one] = await Promise.all([source.reserve('order', 10), source.describe('order')]);
    expect(one.newReign).toEqual({ cause: 'restore', skipped: BASE });
  });

  it('needs no right on the new columns', async () => {
    const { table, database, newcomer, run } = await openSequence();
    await run('UPDATE %t SET minute_began = 7');
    const account = await createMysqlAccount(inject('mysqlUrl'));
    onTestFinished(() => account.close());
    const reign = 'max_id, reign_server, reign_table, reigns, grants';
    await account.run(
      `GRANT SELECT (server_name, realm, group_by, time_zone, ${reign}), UPDATE (reserved_to, granted, grant_id, owner, ${reign})
        ON ${table} TO '${account.name}'@'%'`,
    );
    const pool = openMysqlPool({ uri: account.url, database });
    const source = new SqlSegmentSource(fromMysql(pool), { table });
    expect(await source.reserve('order', 10)).toMatchObject({ low: 1, high: 10 });
    const { warnings = [] } = await source.describe('order');
    expect(warnings.length).toBe(((await newcomer().describe('order')).warnings?.length ?? 0) + 1);
    expect(await run('SELECT minute_ids FROM %t')).toEqual([{ minute_ids: 0 }]);
    const { needed } = await lackingRights(fromMysql(pool), { table });
    expect(needed).toEqual(
      ['SELECT', 'UPDATE'].map(
        (right) => `${right} (minute_began, minute_ids, peak_rate, seconds_lost, reigns_lost)`,
      ),
    );
  });
});
