import { describe, expect, expectTypeOf, it } from 'vitest';
import { type BrandedId, type IdGenerator, type SyncIdGenerator, typed } from '../src/index.js';
import { memoryGenerator } from '../src/strategy.js';
import { COUNTER_GUARANTEES } from './support.js';

describe('typed', () => {
  const numbers = memoryGenerator({ strategy: 'counter', guarantees: COUNTER_GUARANTEES, issue: () => 1 });

  it('brands ids for the type checker and gives back the same generator', () => {
    const orders = typed<'order'>(numbers);
    expect(orders).toBe(numbers);
    expectTypeOf(orders).toEqualTypeOf<SyncIdGenerator<BrandedId<'order', number>>>();
    expectTypeOf(orders.nextSync()).toExtend<number>();
    expectTypeOf<number>().not.toExtend<ReturnType<typeof orders.nextSync>>();
    expectTypeOf<BrandedId<'user', number>>().not.toExtend<BrandedId<'order', number>>();
  });

  it('keeps generators without synchronous calls without them', () => {
    const events = typed<'event'>(numbers as IdGenerator as IdGenerator<string>);
    expectTypeOf(events).toEqualTypeOf<IdGenerator<BrandedId<'event', string>>>();
  });
});
