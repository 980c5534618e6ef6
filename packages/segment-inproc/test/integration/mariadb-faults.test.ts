import { type MariadbServer, startFaultProxy, startMariadb } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { createSegmentGenerator, type SegmentInprocOptions } from '../../src/index.js';
import { createContext } from '../support/subject.js';

let server: MariadbServer;
beforeAll(async () => {
  server = await startMariadb();
});
afterAll(() => server?.close());

/** A process that takes ids until it is told to stop, however many calls fail. */
async function openTaker(options: SegmentInprocOptions) {
  const ids: number[] = [];
  let failures = 0;
  const generator = await createSegmentGenerator({
    ...options,
    as: 'number',
    minStep: 10,
    maxStep: 10,
    onEvent: ({ type }) => {
      if (type === 'refill-failed') failures++;
    },
  });
  onTestFinished(() => generator.close());
  /** Takes until there are `count` ids more. */
  const take = async (count: number): Promise<void> => {
    const until = ids.length + count;
    while (ids.length < until) {
      const id = await generator.next().catch(() => undefined);
      if (id !== undefined) ids.push(id);
    }
  };
  return { ids, take, failures: () => failures };
}

function expectNoneTwice(...takers: readonly { readonly ids: readonly number[] }[]): void {
  const ids = takers.flatMap((taker) => taker.ids);
  expect(ids.length - new Set(ids).size).toBe(0);
  for (const taker of takers) expect(taker.ids).toEqual(taker.ids.toSorted((a, b) => a - b));
}

faultTest('segment-inproc repeats nothing when its MariaDB is killed under load, three times', async () => {
  const context = await createContext(await server.createDatabase(), 'id_segment', 'number');
  const takers = [await openTaker(context), await openTaker(context)];
  for (let round = 0; round < 3; round++) {
    const before = takers.map((taker) => taker.failures());
    const taking = Promise.all(takers.map((taker) => taker.take(200)));
    await injectFault(() => server.stop('immediate'));
    await felt(
      'a failed refill',
      () => takers.some((taker, i) => taker.failures() > (before[i] ?? 0)),
      taking,
    );
    await injectFault(() => server.start());
    await taking;
  }
  expectNoneTwice(...takers);
});

faultTest('segment-inproc repeats nothing when the answers of its MariaDB are lost', async () => {
  const context = await createContext(await server.createDatabase(), 'id_segment', 'number');
  const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
  onTestFinished(() => proxy.close());
  const cutOff = await openTaker({ ...context, database: proxy.url(context.database), deadlineMs: 1_000 });
  const other = await openTaker(context);
  await Promise.all([cutOff.take(50), other.take(50)]);
  const taking = cutOff.take(100);
  await injectFault(() => proxy.setMode('swallow-replies'));
  await felt('a failed refill', () => cutOff.failures() > 0, taking);
  await other.take(50);
  await injectFault(async () => {
    await proxy.setMode('pass');
    proxy.cut();
  });
  await taking;
  expectNoneTwice(cutOff, other);
});
