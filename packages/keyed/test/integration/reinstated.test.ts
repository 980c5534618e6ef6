import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import type { KeyedEvent, KeyedSource } from '../../src/index.js';
import { describeKey, ensureKeyedSchema, raiseKey } from '../../src/sql/index.js';
import { openGenerator, openKeyDatabase, openSource, reserve } from './key-database.js';

/** In seconds. */
const DAY = 86_400;
const SKIP = 1_000;
const skips = { afterFailover: SKIP, afterRestore: SKIP };
/** For each of two reigns as many as after both changes, and once more as many. */
const ALL = 2 * 3 * SKIP;

describe.each(SQL_CLIENTS)('a former primary of keys on $server that is the primary again', (kind) => {
  it('skips in each key what the reigns that followed it may have issued', async () => {
    const { executor, source, table } = await openKeyDatabase(kind);
    const keyed = await source(skips);
    await reserve(keyed, ['known', 'resting', 'checked']);
    const { realm, reigns } = await keyed.describe('message');
    const former = { within: { realm, reigns }, follows: ['later', 'late'], floor: 0 };
    expect(await keyed.reinstate('message', former)).toMatchObject({
      origin: { reigns: [expect.any(String), 'later', 'late', ...(reigns ?? [])] },
    });
    // It is done once.
    expect(await keyed.reinstate('message', former)).toBeUndefined();
    await raiseKey(executor, 'message', 'checked', 500, { table, checked: true });
    const nextAbove = async (key: string) =>
      (await describeKey(executor, 'message', key, { table, ...skips })).nextAbove;
    expect([await nextAbove('resting'), await nextAbove('checked')]).toEqual([10 + ALL, 500]);
    const requests = ['known', 'checked'];
    expect(await reserve(keyed, requests)).toEqual([20 + ALL, 510]);
    // Once for each key, by whoever uses it first.
    expect(await reserve(await source(skips), [...requests, 'resting'])).toEqual([30 + ALL, 520, 20 + ALL]);
  });

  it('skips in each key as fast as it was used, as describeKey says', async () => {
    const { executor, source, table } = await openKeyDatabase(kind);
    const keyed = await source();
    await reserve(keyed, ['busy'], 6_000);
    await reserve(keyed, ['quiet'], 1);
    const { realm, reigns } = await keyed.describe('message');
    await keyed.reinstate('message', { within: { realm, reigns }, follows: ['later', 'late'], floor: 0 });
    // For each reign both bases, all lanes, one base more, and a day at one id a second; and what it used, at
    // its rate, in all lanes of two minutes and four days.
    const fixed = 3 * 10_000 + 256 * 100 + DAY;
    const busy = 6_000 + 2 * (fixed + 100 * (256 * 120 + 4 * DAY));
    expect(await describeKey(executor, 'message', 'busy', { table })).toMatchObject({ nextAbove: busy });
    const [high = 0, quiet = 0] = await reserve(keyed, ['busy', 'quiet'], 1);
    expect(high).toBe(busy + 1);
    expect(quiet).toBe(2 + 2 * (fixed + Math.ceil((256 * 120 + 4 * DAY) / 60)));
  });

  faultTest(
    'is refused for a while by a process that met its successor, and then used above it',
    async () => {
      const { url, executor, session, source, table } = await openKeyDatabase(kind);
      const latterTable = `${table}_latter`;
      await ensureKeyedSchema(executor, { table: latterTable });
      await createSequence(executor, 'message', { table: latterTable });
      const former = await source(skips);
      const latter = await openSource(url, { table: latterTable, ...skips }, kind);
      let leader: KeyedSource = former;
      const events: KeyedEvent[] = [];
      const generator = await openGenerator(
        {
          describe: (...given) => leader.describe(...given),
          reserve: (...given) => leader.reserve(...given),
          reinstate: async (...given) => leader.reinstate?.(...given),
          highest: (...given) => leader.highest(...given),
          close: () => former.close(),
        },
        { refuseFormerPrimaryMs: 100, onEvent: (event) => events.push(event) },
      );
      const unaware = await source(skips);
      await reserve(unaware, ['unaware']);
      const before = await generator.nextBatch('key', 10);
      // As if it had followed this server.
      const its = (column: string): string =>
        `${column} = (SELECT p.${column} FROM (SELECT * FROM ${table}) p WHERE p.server_name = 'message')`;
      const changed = kind.dialect === 'mysql' ? "reign_server = '999'" : 'last_xact = 1';
      await session.query(`UPDATE ${latterTable} SET ${its('realm')}, ${its('reigns')}, ${changed}`);
      leader = latter;
      const lost = await generator.nextBatch('key', 10);
      expect(Math.min(...lost)).toBeGreaterThan(SKIP);
      await injectFault(async () => {
        leader = former;
      });
      const after = await generator.nextBatch('key', 10);
      expect(Math.min(...after)).toBeGreaterThan(Math.max(...before, ...lost) + SKIP);
      const types = events.map(({ type }) => type);
      expect(types.indexOf('reserve-failed')).toBeLessThan(types.indexOf('reinstated'));
      expect(types.filter((type) => type === 'reinstated')).toHaveLength(1);
      expect((await generator.health()).status).toBe('ok');
      // Also whoever never met that one skips what it may have issued, long before it has used as many.
      const high = async (): Promise<number> => (await reserve(unaware, ['unaware'], 1))[0] ?? 0;
      await expect.poll(high).toBeGreaterThan(3 * SKIP);
      await generator.close();
    },
  );
});
