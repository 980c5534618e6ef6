import { uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { describe, expect, inject } from 'vitest';
import { configFolder } from '../support/config-folder.js';
import { LambdaInstance } from '../support/lambda-instance.js';
import { ownSchema } from '../support/own-schema.js';

/** One reservation, in numbers. */
const STEP = 50;

/** An instance that is frozen between two invocations, while another one issues ids of the same sequence. */
async function freeze(strategy: 'segment-inproc' | 'segment-redis-db') {
  await using schema = await ownSchema(inject('databaseUrl'));
  const [redis, keyPrefix] = [inject('redisUrl'), `${schema.name}:`];
  const steps = { minStep: STEP, maxStep: STEP };
  const options = { name: 'order', ...steps, ...(strategy === 'segment-redis-db' && { keyPrefix }) };
  const database = new URL(schema.url);
  const connections = uniqueName('lambda');
  database.searchParams.set('application_name', connections);
  await using folder = await configFolder({
    database: database.href,
    redis,
    generators: { order: { strategy, ...options } },
  });
  await using instance = new LambdaInstance(folder.cwd);
  await using other =
    strategy === 'segment-inproc'
      ? await createSegmentInprocGenerator({ name: 'order', database: schema.url, ...steps })
      : await createSegmentRedisDbGenerator({
          name: 'order',
          database: schema.url,
          redis,
          keyPrefix,
          ...steps,
        });

  const before = await instance.invoke(10);
  await injectFault(() => instance.freeze());
  // Servers and networks forget connections that say nothing for hours.
  const ended = await injectFault(async () => {
    const { rowCount } = await schema.pool.query(
      'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = $1',
      [connections],
    );
    return rowCount;
  });
  expect(ended ?? 0, 'connections of the frozen instance that its database ended').toBeGreaterThan(0);
  const meanwhile = await other.nextBatch(10 * STEP);
  await injectFault(() => instance.thaw());
  // More than it can have held.
  const after = await instance.invoke(4 * STEP);

  const ids = [...before, ...after].map(Number);
  const all = [...ids, ...meanwhile];
  expect(all).toHaveLength(14 * STEP + 10);
  expect(new Set(all).size).toBe(all.length);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  return { before: before.map(Number), meanwhile, after: after.map(Number) };
}

describe('an instance of Lambda that was frozen', () => {
  faultTest('issues the rest of its segment, then a new one, with segment-inproc', async () => {
    const { before, meanwhile, after } = await freeze('segment-inproc');
    expect(after[0]).toBe((before.at(-1) ?? 0) + 1);
    expect(after[0]).toBeLessThan(meanwhile[0] ?? 0);
    expect(after.at(-1)).toBeGreaterThan(meanwhile.at(-1) ?? 0);
  });

  faultTest('holds nothing of segment-redis-db: its next id is above those of all others', async () => {
    const { meanwhile, after } = await freeze('segment-redis-db');
    expect(after[0]).toBeGreaterThan(meanwhile.at(-1) ?? 0);
  });
});
