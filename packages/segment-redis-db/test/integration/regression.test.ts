import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { fromPgUrl } from '@ids/store/postgres';
import { describe, expect, inject } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbEvent } from '../../src/index.js';
import { fault } from '../support/fixture.js';
import { adminOf } from '../support/load.js';
import { type Context, createContext } from '../support/subject.js';

const database = inject('databaseUrl');
const STEP = 10;

/** A table that can be set back behind the back of its guard, as a restored backup does. */
async function openTable({ table }: Context) {
  const executor = await fromPgUrl(database, { max: 1 });
  await executor.execute(`ALTER TABLE ${table} DISABLE TRIGGER USER`, []);
  return {
    setBackTo: (maxId: number) => executor.execute(`UPDATE ${table} SET max_id = $1`, [maxId]),
    maxId: async () => Number((await executor.execute(`SELECT max_id FROM ${table}`, [])).rows[0]?.max_id),
    [Symbol.asyncDispose]: () => executor.close(),
  };
}

/** A dispenser on `context`, and the regressions that it was told of. */
async function openDispenser(context: Context) {
  const regressions: Extract<SegmentRedisDbEvent, { type: 'regression' }>[] = [];
  const generator = await createSegmentRedisDbGenerator({
    ...context,
    minStep: STEP,
    maxStep: STEP,
    onEvent: (event) => {
      if (event.type === 'regression') regressions.push(event);
    },
  });
  return { generator, regressions };
}

describe('a dispenser whose database went back', () => {
  faultTest('says so, raises the table and gives no id twice', async () => {
    await using redis = await startRedis();
    const context = await createContext(redis.url, database, uniqueName('regressed'));
    await using table = await openTable(context);
    const { generator, regressions } = await openDispenser(context);
    await using _closed = generator;
    const given = await generator.nextBatch(95);
    const reserved = await table.maxId();
    expect(regressions).toEqual([]);
    await injectFault(() => table.setBackTo(20));
    given.push(...(await generator.nextBatch(200)));
    expect(fault(given)).toBeUndefined();
    // One reservation found it and raised the table; what follows is above.
    expect(regressions).toHaveLength(1);
    const [{ floor = 0, segment = { low: 0, high: 0 }, name = '' } = {}] = regressions;
    expect(name).toBe(context.name);
    expect(floor).toBeGreaterThanOrEqual(reserved);
    expect(segment.low).toBe(21);
    expect(await table.maxId()).toBeGreaterThanOrEqual(given.at(-1) ?? 0);
  });

  faultTest('says so too when Redis lost its high-water mark with it: the process has its own', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const context = await createContext(redis.url, database, uniqueName('regressed'));
    await using table = await openTable(context);
    const { generator, regressions } = await openDispenser(context);
    await using _closed = generator;
    const given = await generator.nextBatch(95);
    await injectFault(async () => {
      await table.setBackTo(20);
      await admin.redis.flushall();
    });
    given.push(...(await generator.nextBatch(200)));
    expect(fault(given)).toBeUndefined();
    expect(regressions).toHaveLength(1);
    expect(await table.maxId()).toBeGreaterThanOrEqual(given.at(-1) ?? 0);
  });

  faultTest(
    'says so in whichever process reserves next, and no process repeats an id of another',
    async () => {
      await using redis = await startRedis();
      const context = await createContext(redis.url, database, uniqueName('regressed'));
      await using table = await openTable(context);
      const first = await openDispenser(context);
      const second = await openDispenser(context);
      await using _first = first.generator;
      await using _second = second.generator;
      const given = await first.generator.nextBatch(95);
      await injectFault(() => table.setBackTo(20));
      for (let i = 0; i < 20; i++) {
        const { generator } = i % 2 === 0 ? second : first;
        given.push(...(await generator.nextBatch(10)));
      }
      expect(fault(given)).toBeUndefined();
      expect([...first.regressions, ...second.regressions]).toHaveLength(1);
    },
  );
});
