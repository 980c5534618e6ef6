import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { createSnowflakeGenerator } from '../src/index.js';
import { createContext } from './support/subject.js';

const open = async (overflow: 'wait' | 'throw') => {
  const context = await createContext(inject('databaseUrl'), uniqueName('overflow'), {
    layout: '41+6+6',
    slots: 2,
  });
  return createSnowflakeGenerator({ ...context, as: 'number', startup: 'at-once', overflow });
};
/** More than two windows of 64 ids per millisecond. */
const TOO_MANY = 300_000;

it('calls wait for ids that the layout does not have yet, and get all of them', async () => {
  await using generator = await open('wait');
  const ids = [...(await generator.nextBatch(TOO_MANY)), await generator.next()];
  expect(new Set(ids).size).toBe(TOO_MANY + 1);
  expect(generator.counters().waits).toBeGreaterThan(0);
});

it('calls fail with ERR_IDS_EXHAUSTED where that is asked for, and later ones are served', async () => {
  await using generator = await open('throw');
  await generator.ready();
  const issued = new Set<number>();
  const exhausted = (error: unknown) =>
    expect(error).toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: expect.stringContaining('64000'),
    });
  let count = 0;
  const take = (): boolean => {
    try {
      issued.add(generator.nextSync());
      count += 1;
      return true;
    } catch (error) {
      exhausted(error);
      return false;
    }
  };
  while (take());
  await generator.next().catch(exhausted);
  expect(count).toBeGreaterThanOrEqual(64_000);
  while (!take()) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(issued.size).toBe(count);
  expect(generator.counters()).toMatchObject({ idsIssued: count, notReady: 0 });
});

it('a synchronous batch that no window can hold is rejected for good', async () => {
  await using generator = await open('wait');
  await generator.ready();
  expect(() => generator.nextBatchSync(200_000)).toThrow(/200000.*128000/);
  expect(generator.nextBatchSync(1_000)).toHaveLength(1_000);
});
