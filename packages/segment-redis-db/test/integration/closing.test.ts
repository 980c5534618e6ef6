import { startFaultProxy, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator, type SegmentRedisDbListener } from '../../src/index.js';
import { Fixture } from '../support/fixture.js';
import { GatedSource } from '../support/gated-source.js';
import { createContext } from '../support/subject.js';

faultTest('a dispenser closes without waiting for a database that hangs', async () => {
  const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
  const context = await createContext(redis, database, uniqueName('closing'));
  const proxy = await startFaultProxy({
    target: { host: '127.0.0.1', port: Number(new URL(database).port) },
  });
  onTestFinished(() => proxy.close());
  const open = async (deadlineMs: number, onEvent?: SegmentRedisDbListener) => {
    const options = { ...context, database: proxy.url(database), minStep: 10, maxStep: 10 };
    const generator = await createSegmentRedisDbGenerator({ ...options, deadlineMs, onEvent });
    onTestFinished(() => generator.close());
    return generator;
  };
  let booked = (): void => {};
  const asking = new Promise<void>((resolve) => {
    booked = resolve;
  });
  const closing = await open(30_000, ({ type }) => type === 'debt' && booked());
  const [impatient, patient] = [await open(500), await open(10_000)];
  await closing.ready();
  await injectFault(() => proxy.setMode('blackhole'));
  // More than Redis holds: the first one that asks also asks the database.
  const call = closing.nextBatch(100).catch((error: unknown) => error);
  await asking;
  await expect(impatient.nextBatch(100), 'the database hangs').rejects.toMatchObject({ retryable: true });

  const deadline = patient.nextBatch(100).catch(() => 'the deadline of a call of another generator');
  const first = await Promise.race([closing.close().then(() => 'closed'), deadline]);
  expect(first, 'what came first').toBe('closed');
  expect(await call).toMatchObject({ code: 'ERR_IDS_CLOSED' });
});

it('a dispenser that closes waits for the segment on its way, which others then get', async () => {
  await using fixture = new Fixture(uniqueName('closing'));
  const source = new GatedSource(fixture.source);
  const generator = await fixture.generator(inject('redisUrl'), { source, step: 10 });
  await generator.ready();
  source.shut();
  // At the low-water mark, so a segment is reserved; its answer is held back.
  await generator.nextBatch(5);
  await source.held();
  const closed = generator.close();
  source.release();
  await closed;
  expect(fixture.discarded).toEqual([]);
  expect(await fixture.take(inject('redisUrl'), 15)).toEqual(Array.from({ length: 15 }, (_, i) => 6 + i));
});
