import { createIds, isSyncGenerator, type SyncIdGenerator } from '@ids/core';
import { encodeIds } from '@ids/encode';
import { createGpidGenerator } from '@ids/gpid';
import { createObjectIdGenerator, objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { createSnowflakeGenerator } from '@ids/snowflake';
import { createTestGenerator, testStrategy } from '@ids/testing';
import { createUuid7Generator } from '@ids/uuid7';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const segments = createIds([segmentInproc]).plan({
  strategy: 'segment-inproc',
  name: 'order',
  database: 'postgres://127.0.0.1:1/none',
});

describe('createTestGenerator', () => {
  it('issues the same ids in every run, of the form of the strategy', async () => {
    const snowflakes = await createSnowflakeGenerator({ worker: 1 });
    expect([
      createTestGenerator(createUuid7Generator()).nextBatchSync(2),
      createTestGenerator(createObjectIdGenerator()).nextBatchSync(2),
      createTestGenerator(segments).nextBatchSync(2),
      createTestGenerator(snowflakes).nextBatchSync(2),
      encodeIds(createTestGenerator(createUuid7Generator()), { form: 'typeid', prefix: 'order' }).nextSync(),
      encodeIds(createTestGenerator(segments), { as: 'crockford', prefix: 'ord_', width: 11 }).nextSync(),
    ]).toEqual([
      ['01941f29-7c00-7000-8000-000000000001', '01941f29-7c00-7000-8000-000000000002'],
      ['677485800000000000000001', '677485800000000000000002'],
      [1, 2],
      [1n, 2n],
      'order_01jgfjjz00e008000000000001',
      'ord_00000000001',
    ]);
  });

  it('has the types of its source', () => {
    expectTypeOf(createTestGenerator(segments).nextSync()).toEqualTypeOf<number>();
    expectTypeOf(createTestGenerator(createUuid7Generator())).toExtend<SyncIdGenerator<string>>();
  });

  it('gives other ids for another seed, and the same again after a reset', () => {
    for (const source of [createUuid7Generator(), createObjectIdGenerator(), segments]) {
      const [one, other] = [1, 4_095].map((seed) => createTestGenerator(source, { seed }));
      const ids = [one, other].flatMap((generator) => generator?.nextBatchSync(100) ?? []);
      expect(new Set(ids).size).toBe(200);
      one?.reset();
      expect(one?.nextBatchSync(100)).toEqual(ids.slice(0, 100));
    }
  });

  it('follows fake timers that begin after it was created', async () => {
    const ids = createTestGenerator(createUuid7Generator(), { clock: Date.now });
    const strategy = testStrategy(objectid, { clock: Date.now });
    vi.useFakeTimers({ now: Date.UTC(2025, 0, 1) });
    expect(ids.nextSync()).toBe('01941f29-7c00-7000-8000-000000000001');
    const opened = await createIds([strategy]).create({ strategy: 'objectid' });
    expect(await opened.next()).toBe('677485800000000000000001');
  });

  it('follows fake timers, and rises also when they go back', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    const ids = createTestGenerator(createUuid7Generator(), { clock: Date.now });
    const before = ids.nextSync();
    vi.advanceTimersByTime(1_000);
    const later = ids.nextSync();
    vi.setSystemTime(0);
    const back = ids.nextSync();
    expect([before, later, back]).toEqual([
      '019b76da-a800-7000-8000-000000000001',
      '019b76da-abe8-7000-8000-000000000002',
      '019b76da-abe8-7000-8000-000000000003',
    ]);
  });

  it('takes a form that it does not know from "write"', () => {
    const gpids = createGpidGenerator({ port: 8_080, address: '10.0.0.7' });
    expect(() => createTestGenerator(gpids)).toThrow('have no form known here: set the option "write"');
    const [, start = ''] = /^(.*\/)\d+$/.exec(gpids.nextSync()) ?? [];
    const ids = createTestGenerator(gpids, { write: ({ count }) => `${start}${count}` });
    expect(ids.nextBatchSync(2)).toEqual([`${start}1`, `${start}2`]);
    const wrong = createTestGenerator(gpids, { write: ({ count }) => count });
    expect(() => wrong.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }));
  });
});

describe('testStrategy', () => {
  it('takes the place of a strategy, with its name, options and types, and needs no server', async () => {
    const ids = createIds([testStrategy(segmentInproc), testStrategy(objectid, { seed: 7 })]);
    await using orders = await ids.create({
      strategy: 'segment-inproc',
      name: 'order',
      database: 'postgres://127.0.0.1:1/none',
    });
    expectTypeOf(orders.nextSync).returns.toEqualTypeOf<number>();
    expect([orders.strategy, await orders.next(), orders.nextSync()]).toEqual(['segment-inproc', 1, 2]);
    expect(orders.guarantees).toEqual(segments.guarantees);
    await using events = await ids.create({ strategy: 'objectid' });
    expect(events.nextSync()).toBe('677485800000000007000001');
    await expect(ids.create({ strategy: 'objectid', overflow: 'drop' as never })).rejects.toThrow(
      'option "overflow"',
    );
  });

  it('has no synchronous calls where the strategy has none, and none by key', async () => {
    const ids = createIds([testStrategy(segmentInproc)]);
    const config = {
      strategy: 'segment-inproc',
      name: 'o',
      database: 'postgres://127.0.0.1:1/none',
    } as const;
    await using ordered = await ids.create({ ...config, order: 'real-time' });
    expect(isSyncGenerator(ordered)).toBe(false);
    expect(await ordered.nextBatch(3)).toEqual([1, 2, 3]);
    await ordered.close();
    await expect(ordered.next()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
    await expect(ids.createKeyed({ ...config, order: 'real-time', keyed: true })).rejects.toThrow(
      'has no sequences by key',
    );
  });
});
