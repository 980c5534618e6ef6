import { createSnowflakeGenerator, layoutOf, parseSnowflake } from '@ids/snowflake';
import { expect, it } from 'vitest';
import { workerOf } from '../../src/recipes/statefulset-worker.js';

const RANGES = { orders: { first: 0, count: 32 }, 'order-imports': { first: 32, count: 8 } };

it('each pod of each set has a worker of its own, in the ids that it issues', async () => {
  const pods = Object.entries(RANGES).flatMap(([set, { count }]) =>
    Array.from({ length: count }, (_, ordinal) => `${set}-${ordinal}`),
  );
  const workers = pods.map((pod) => workerOf(pod, RANGES));
  expect(workers).toEqual(Array.from({ length: 40 }, (_, worker) => worker));

  const layout = '41+6+6';
  await using ids = await createSnowflakeGenerator({
    worker: workerOf('order-imports-7', RANGES),
    as: 'number',
    layout,
  });
  expect(parseSnowflake(await ids.next(), layoutOf(layout)).slot).toBe(39);
});

it.each([
  ['orders', 'not even an ordinal'],
  ['orders-7d9f8b6c5-x2x4z', 'a pod of a Deployment'],
  ['orders-7d9f8b6c5-24567', 'a pod of a Deployment, whose suffix has digits only'],
  ['billing-0', 'a pod of another set'],
  ['constructor-0', 'what every object has'],
  ['', 'nothing'],
  [undefined, 'no name at all'],
])('%s has no worker: %s', (name, _what) => {
  expect(() => workerOf(name, RANGES)).toThrow(
    `must be that of a pod of a StatefulSet, "orders-<ordinal>" or "order-imports-<ordinal>"; got ${JSON.stringify(name)}`,
  );
});

it('a set that grew beyond its range is refused, before it reaches the range of another', () => {
  expect(() => workerOf('orders-32', RANGES)).toThrow('"orders" has 32, for the ordinals 0 to 31');
});

it.each([
  [{ first: 31, count: 8 }, 'the workers of "orders" end at 31, so those of "b" must begin above; got 31'],
  [{ first: 0, count: 1 }, 'the workers of "orders" end at 31, so those of "b" must begin above; got 0'],
  [{ first: -1, count: 1 }, 'the workers of "b" must be whole numbers'],
  [{ first: 32, count: 0 }, 'the workers of "b" must be whole numbers'],
  [{ first: 32, count: Number.NaN }, 'the workers of "b" must be whole numbers'],
])('every pod refuses ranges that are not apart: %j', (b, problem) => {
  expect(() => workerOf('orders-0', { orders: RANGES.orders, b })).toThrow(problem);
});
