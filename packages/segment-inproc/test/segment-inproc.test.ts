import { createIds } from '@ids/core';
import {
  MemorySegmentSource,
  type SegmentEvent,
  type SegmentSource,
  SupersededReignError,
} from '@ids/segment';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  createSegmentInprocGenerator,
  type OrderedSegmentInprocIdGenerator,
  type SegmentInprocIdGenerator,
  segmentInproc,
} from '../src/index.js';

const source = new MemorySegmentSource({ order: {}, last: { startAfter: Number.MAX_SAFE_INTEGER - 2 } });

describe('createSegmentInprocGenerator', () => {
  it('gives ids as numbers, unless told otherwise', async () => {
    await using generator = await createSegmentInprocGenerator({ name: 'order', source });
    expectTypeOf(generator).toEqualTypeOf<SegmentInprocIdGenerator<number>>();
    expect(await generator.next()).toBeTypeOf('number');
    expect(generator.guarantees.idType).toBe('number');
  });

  it('gives ids as bigints, exact up to the last one', async () => {
    await using generator = await createSegmentInprocGenerator({ name: 'last', source, as: 'bigint' });
    expectTypeOf(generator).toEqualTypeOf<SegmentInprocIdGenerator<bigint>>();
    expect(await generator.nextBatch(2)).toEqual([9007199254740990n, 9007199254740991n]);
    await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });

  it('gives ids as strings', async () => {
    const fresh = new MemorySegmentSource({ order: { startAfter: 99 } });
    await using generator = await createSegmentInprocGenerator({
      name: 'order',
      source: fresh,
      as: 'string',
    });
    expectTypeOf(generator).toEqualTypeOf<SegmentInprocIdGenerator<string>>();
    expect(await generator.next()).toBe('100');
    expect(generator.guarantees.idType).toBe('string');
  });

  it('gives ids in real-time order, without synchronous calls, for a burst as large as maxStep', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    const options = { name: 'order', source: fresh, order: 'real-time', maxStep: 10 } as const;
    await using generator = await createSegmentInprocGenerator(options);
    expectTypeOf(generator).toEqualTypeOf<OrderedSegmentInprocIdGenerator<number>>();
    expect(generator).not.toHaveProperty('nextSync');
    expect(generator.guarantees).toMatchObject({ order: { cluster: 'real-time' }, sync: false });
    expect(await generator.nextBatch(25)).toHaveLength(25);
    expect(generator.counters()).toMatchObject({ refills: 3, idsIssued: 25, idsDiscarded: 0 });
  });

  it('has the type of generator that the options of a config choose', async () => {
    const ids = createIds([segmentInproc]);
    const fresh = new MemorySegmentSource({ order: {} });
    const base = { strategy: 'segment-inproc', name: 'order', source: fresh } as const;
    await using usual = await ids.create(base);
    expectTypeOf(usual).toEqualTypeOf<SegmentInprocIdGenerator<number>>();
    await using bigints = await ids.create({ ...base, as: 'bigint' });
    expectTypeOf(bigints).toEqualTypeOf<SegmentInprocIdGenerator<bigint>>();
    await using ordered = await ids.create({ ...base, order: 'real-time' });
    expectTypeOf(ordered).toEqualTypeOf<OrderedSegmentInprocIdGenerator<number>>();
    await using strings = await ids.create({ ...base, order: 'real-time', as: 'string' });
    expectTypeOf(strings).toEqualTypeOf<OrderedSegmentInprocIdGenerator<string>>();
    expect(await strings.next()).toBe('1');
  });

  it('refuses an order that it does not know', async () => {
    // @ts-expect-error not an order
    await expect(createSegmentInprocGenerator({ name: 'order', source, order: 'k-sorted' })).rejects.toThrow(
      /"order".*"increasing".*"real-time".*"k-sorted"/,
    );
  });

  it('reserves nothing before ids are asked for', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    await using generator = await createSegmentInprocGenerator({ name: 'order', source: fresh });
    expect((await fresh.describe('order')).maxId).toBe(0);
    await generator.ready();
    expect((await fresh.describe('order')).maxId).toBe(1_000);
  });

  it('is not ready before ids are in memory, and says so', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    await using generator = await createSegmentInprocGenerator({ name: 'order', source: fresh });
    expect(generator.health()).toEqual({ status: 'not-ready', remaining: 0 });
    expect(() => generator.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    await generator.ready();
    expect(generator.health()).toEqual({ status: 'ok', remaining: 1_000 });
    generator.nextSync();
  });

  it('reserves as many ids at once as minStep and maxStep say', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    const sizes: number[] = [];
    const onEvent = (event: SegmentEvent): void => {
      if (event.type === 'refill') sizes.push(event.segment.high - event.segment.low + 1);
    };
    const steps = { minStep: 10, maxStep: 35 };
    await using generator = await createSegmentInprocGenerator({
      name: 'order',
      source: fresh,
      ...steps,
      onEvent,
    });
    for (let i = 0; i < 100; i++) await generator.next();
    expect(sizes[0]).toBe(10);
    expect(sizes[1]).toBeGreaterThanOrEqual(20);
    expect(sizes.slice(2, 5)).toEqual([35, 35, 35]);
  });

  it('reserves no more than may be lost, however large maxStep is', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    const bounds = { minStep: 10, maxStep: 1_000_000, maxIdsLost: 100 };
    await using generator = await createSegmentInprocGenerator({ name: 'order', source: fresh, ...bounds });
    for (let given = 1; given <= 2_000; given++) {
      await generator.next();
      expect((await fresh.describe('order')).maxId - given).toBeLessThanOrEqual(100);
    }
  });

  it('counts what it does', async () => {
    const fresh = new MemorySegmentSource({ order: {} });
    await using generator = await createSegmentInprocGenerator({ name: 'order', source: fresh });
    await generator.nextBatch(3);
    expect(generator.counters()).toMatchObject({ idsIssued: 3, refills: 1, waits: 1, idsDiscarded: 0 });
    await generator.close();
    expect(generator.counters()).toMatchObject({ idsIssued: 3, idsDiscarded: 997 });
  });

  it('fails at the start when there is no such sequence, instead of counting from 1', async () => {
    await expect(createSegmentInprocGenerator({ name: 'ordre', source })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/"ordre".*createSequence/),
    });
  });

  it('fails at the start when the source does not answer within the deadline', async () => {
    const silent = new MemorySegmentSource({ order: {} });
    silent.describe = () => new Promise(() => {});
    const opening = createSegmentInprocGenerator({ name: 'order', source: silent, deadlineMs: 30 });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT', retryable: true });
  });

  it('leaves a source that was handed in open, for the next generator', async () => {
    let closes = 0;
    const shared = new MemorySegmentSource({ order: {} });
    shared.close = async () => {
      closes++;
    };
    await (await createSegmentInprocGenerator({ name: 'order', source: shared })).close();
    await expect(createSegmentInprocGenerator({ name: 'nope', source: shared })).rejects.toThrow();
    expect(closes).toBe(0);
  });

  it.each([
    [{ name: '' }, /option "name": must be 1 to 255 characters/],
    [{}, /option "name"/],
    [{ name: 'order', minStep: 5, maxStep: 4 }, /"minStep": must be at most "maxStep", got 5 .* 4/],
    [{ name: 'order', maxIdsLost: 0 }, /"maxIdsLost": must be a whole number from 1 .* got 0/],
    [
      { name: 'order', maxIdsLost: 1_499 },
      /"maxIdsLost": must be at least 1500, one and a half times "minStep" \(1000\), got 1499/,
    ],
    [{ name: 'order', stepp: 5 }, /unknown option "stepp"/],
    [{ name: 'order', minStpe: 5 }, /did you mean "minStep"/],
    [{ name: 'order', as: 'uuid' }, /option "as": must be "number", "bigint" or "string", got "uuid"/],
    [{ name: 'order', database: 'postgres://localhost' }, /"database" or "source", not both/],
    [{ name: 'order', source: undefined }, /give "database" .* or "source"/],
    [{ name: 'order', table: 'ids' }, /"table" belongs to "database"/],
  ])('refuses %o and says what is accepted', async (options, message) => {
    const given = { source, ...options } as unknown as Parameters<typeof createSegmentInprocGenerator>[0];
    await expect(createSegmentInprocGenerator(given)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(message),
    });
  });

  it.each(['increasing', 'real-time'] as const)(
    'uses nothing of a former primary that answers after its successor was described, with order "%s"',
    async (order) => {
      const [former, successor] = [{ reigns: ['a'] }, { reigns: ['b', 'a'] }];
      const routed: SegmentSource = {
        describe: async () => ({ realm: 'realm', maxId: 0, ...successor }),
        // It compares nothing itself.
        reserve: async (_name, size) => ({ low: 1, high: size, origin: former }),
        close: async () => {},
      };
      const failures: unknown[] = [];
      const onEvent = (event: SegmentEvent) => event.type === 'refill-failed' && failures.push(event.error);
      const options = { name: 'order', source: routed, deadlineMs: 50, onEvent };
      await using generator = await (order === 'increasing'
        ? createSegmentInprocGenerator(options)
        : createSegmentInprocGenerator({ ...options, order }));
      await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
      expect(failures[0]).toBeInstanceOf(SupersededReignError);
    },
  );

  it('repeats no password in an error', async () => {
    for (const database of ['mongodb://u:hunter2@h/d', 'hunter2', 'postgres://u:hunter2@[h/d']) {
      const error = await createSegmentInprocGenerator({ name: 'order', database }).catch((e: Error) => e);
      expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG' });
      expect(String((error as Error).stack)).not.toContain('hunter2');
    }
  });
});

describe('segmentInproc', () => {
  it('reads an id back from its text, and nothing else', () => {
    const value = (text: string) => segmentInproc.inspect?.(text)?.map(({ name, value }) => [name, value]);
    expect(value('48001')).toEqual([['counter', '48001']]);
    expect(value('9007199254740991')).toEqual([['counter', '9007199254740991']]);
    for (const text of [
      '',
      '0',
      '-1',
      '01',
      '1.5',
      '1e3',
      ' 7',
      '9007199254740992',
      '5a17b9d9ab102555b9c38874',
    ]) {
      expect(value(text)).toBeUndefined();
    }
  });

  it('is opened by name from a list, and claims the same before and after', async () => {
    const plan = createIds([segmentInproc]).plan({ strategy: 'segment-inproc', name: 'order', source });
    await using generator = await plan.create();
    expect(generator.strategy).toBe('segment-inproc');
    expect(generator.guarantees).toEqual(plan.guarantees);
    expect(generator.nextBatchSync).toBeTypeOf('function');
  });
});
