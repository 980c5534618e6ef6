import { defineConfig, openIds } from '@ids/config';
import { type BrandedId, type IdGenerator, type SyncIdGenerator, typed } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { describe, expectTypeOf, it } from 'vitest';

const config = defineConfig({
  generators: {
    event: { strategy: 'objectid' },
    order: { strategy: 'segment-redis-db' },
    bill: { strategy: 'segment-inproc', as: 'bigint' },
    ticket: { strategy: 'segment-inproc', encode: { as: 'base62', width: 9, prefix: 'tkt_' } },
    trace: { strategy: 'gpid', port: 0, encode: { prefix: 'trace-' } },
  },
});

const open = () => openIds({ strategies: [objectid, gpid, segmentInproc, segmentRedisDb], config });
type Ids = Awaited<ReturnType<typeof open>>;

describe('a generator of a config in code', () => {
  it('has the type that its strategy, "as" and "encode" give it', () => {
    // Types alone: nothing is opened.
    const check = (ids: Ids): void => {
      expectTypeOf(ids.get('event')).toExtend<SyncIdGenerator<string>>();
      expectTypeOf(ids.get('order')).toExtend<IdGenerator<number>>();
      expectTypeOf(ids.get('order')).not.toHaveProperty('nextSync');
      expectTypeOf(ids.get('bill')).toExtend<SyncIdGenerator<bigint>>();
      expectTypeOf(ids.get('ticket')).toExtend<SyncIdGenerator<string>>();
      expectTypeOf(ids.get('ticket').decode).returns.toEqualTypeOf<number>();
      expectTypeOf(ids.get('trace').decode).returns.toEqualTypeOf<string>();
      expectTypeOf(ids.get).parameter(0).toEqualTypeOf<'event' | 'order' | 'bill' | 'ticket' | 'trace'>();
      expectTypeOf(typed<'bill'>(ids.get('bill')).nextSync()).toEqualTypeOf<BrandedId<'bill', bigint>>();
      expectTypeOf(typed<'ticket'>(ids.get('ticket')).nextSync()).toEqualTypeOf<
        BrandedId<'ticket', string>
      >();
    };
    expectTypeOf(check).toBeFunction();
  });

  it('is refused by the compiler when it names no strategy, no option, or a wrong value', () => {
    const strategies = [objectid, segmentInproc];
    const check = () => [
      // @ts-expect-error There is no such strategy.
      openIds({ strategies, config: { generators: { event: { strategy: 'objectidd' } } } }),
      // @ts-expect-error It is known, but was not handed in.
      openIds({ strategies, config: { generators: { event: { strategy: 'gpid' } } } }),
      // @ts-expect-error There is no such option.
      openIds({ strategies, config: { generators: { event: { strategy: 'objectid', overfow: 'throw' } } } }),
      // @ts-expect-error There is no such overflow.
      openIds({ strategies, config: { generators: { event: { strategy: 'objectid', overflow: 'trow' } } } }),
      // @ts-expect-error A number of ids is meant.
      openIds({ strategies, config: { generators: { bill: { strategy: 'segment-inproc', minStep: '5' } } } }),
    ];
    expectTypeOf(check).toBeFunction();
  });
});
