import type { IdStrategy } from '@ids/core';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { planGenerator, planGenerators } from '../src/index.js';
import { counting, leasing, local, requiring, sharedStrategy } from './support.js';

const { strategy: shared } = sharedStrategy();

/** `local` under another name, and with other options. */
function like(name: string, options: IdStrategy['options'], ...optionNames: string[]): IdStrategy {
  return { ...local, name, options, optionNames } as unknown as IdStrategy;
}

/** The refusal of a generator that needs `nextSync` and has the strategy `shared`, which offers none. */
function refusalOf(others: readonly IdStrategy[], order: object): string {
  const generators = { order: { strategy: 'shared', require: { sync: true }, ...order } };
  const config = { redis: 'r', database: 'd', generators };
  try {
    planGenerators([shared as unknown as IdStrategy, ...others], config);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it fits');
}

describe('the options of a planned generator', () => {
  it('hold no backend that is not given', () => {
    const strategy = like('r', requiring(), 'name', 'redis', 'database', 'onEvent');
    const { options } = planGenerator([strategy], { redis: 'r' }, 'order', { strategy: 'r' });
    expect(options).toStrictEqual({ name: 'order', redis: 'r' });
  });

  it('hold no shared database where they name a source of their own', () => {
    const strategy = like('s', requiring(), 'name', 'source', 'database');
    const backends = { database: 'd' };
    const { options } = planGenerator([strategy], backends, 'order', { strategy: 's', source: 'elsewhere' });
    expect(options).toStrictEqual({ name: 'order', source: 'elsewhere' });
    expect(planGenerator([strategy], backends, 'order', { strategy: 's' }).options).toStrictEqual({
      name: 'order',
      database: 'd',
    });
  });
});

describe('a plan', () => {
  it.each(['orders.id', 'public.orders.order_id', '_a.b$'])('keeps the name of the column %s', (column) => {
    const plans = planGenerators([local], { generators: { order: { strategy: 'local', column } } });
    expect(plans.get('order')?.column).toBe(column);
  });

  it('lets an error through that is a defect of a strategy', () => {
    const defect = new TypeError('x is not a function');
    const broken = {
      ...local,
      guarantees: () => {
        throw defect;
      },
    };
    expect(() => planGenerators([broken], { generators: { order: { strategy: 'local' } } })).toThrow(defect);
  });
});

describe('tables that generators share', () => {
  const plan = (order: object, event: object) => () =>
    planGenerators([counting, leasing], {
      database: 'postgres://one@db/shop',
      generators: { order: { strategy: 'counting', ...order }, event: { strategy: 'leasing', ...event } },
    });

  it.each([
    ['named by both', { table: 'ids' }, { table: 'ids' }],
    ['the default of the other', {}, { table: 'id_segment' }],
    ['through another role', { table: 'ids' }, { table: 'ids', database: 'postgres://two@db/shop?ssl=1' }],
  ])('are refused if their rows are not of one kind: %s', (_what, order, event) => {
    expect(plan(order, event)).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/^generators\.event: .*generators\.order/),
      }),
    );
  });

  it.each([
    ['of their own', {}, {}],
    ['in another database', { table: 'ids' }, { table: 'ids', database: 'postgres://one@db/other' }],
    ['for rows of one kind', { table: 'ids' }, { strategy: 'counting', table: 'ids' }],
  ])('are accepted: %s', (_what, order, event) => {
    expect(plan(order, event)).not.toThrow();
  });
});

describe('a row that a keyed generator and another one share', () => {
  const plan = (order: object, event: object) => () =>
    planGenerators([counting], {
      database: 'postgres://one@db/shop',
      generators: { order: { strategy: 'counting', ...order }, event: { strategy: 'counting', ...event } },
    });
  const keyed = { keyed: true };
  const shop = { name: 'shop' };

  it.each([
    ['the second one keyed', shop, { ...shop, ...keyed }, 'event', 'order'],
    ['the first one keyed', { ...shop, ...keyed }, shop, 'order', 'event'],
    ['by the name of the other', keyed, { name: 'order' }, 'order', 'event'],
    [
      'through another role',
      shop,
      { ...shop, ...keyed, database: 'postgres://two@db/shop?ssl=1' },
      'event',
      'order',
    ],
  ])('is refused, and both are named: %s', (_what, order, event, ofKeys, plain) => {
    expect(plan(order, event)).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(
          new RegExp(`^generators\\.event: .*generators\\.${ofKeys} is "keyed".*generators\\.${plain} `),
        ),
      }),
    );
  });

  it('is told beside needs that are not met', () => {
    const needy = { ...shop, ...keyed, require: { type: 'bigint' } };
    expect(plan(shop, needy)).toThrow(/^generators\.event: .*generators\.order.*\n.*bigint/);
  });

  it.each([
    ['both keyed', { ...shop, ...keyed }, { ...shop, ...keyed }],
    ['neither keyed', shop, shop],
    ['in two tables', shop, { ...shop, ...keyed, table: 'id_other' }],
    ['in two databases', shop, { ...shop, ...keyed, database: 'postgres://one@db/other' }],
    ['of two names', keyed, {}],
  ])('is none: %s', (_what, order, event) => {
    expect(plan(order, event)).not.toThrow();
  });
});

it('needs that are not met are told of each generator in a line', () => {
  const generators = {
    order: { strategy: 'local', require: { type: 'bigint', discloses: [] } },
    event: { strategy: 'local', require: { type: 'bigint' } },
  };
  expect(() => planGenerators([local], { generators })).toThrow(
    expect.objectContaining({
      code: 'ERR_IDS_UNMET',
      message: expect.stringMatching(/^generators\.order: .*bigint.*\ngenerators\.event: .*bigint.*$/),
    }),
  );
});

describe('the strategies that would fit', () => {
  it('are all named', () => {
    expect(refusalOf([local, like('other', requiring())] as IdStrategy[], {})).toMatch(/: local, other$/);
  });

  it('are looked for with those options only that they know', () => {
    const sized = like('sized', requiring<{ size?: number }>('size'), 'size');
    const named = like('named', requiring<{ name?: string }>('name'), 'name');
    expect(refusalOf([sized, named], { name: 'orders', redis: 'r2' })).toMatch(/: named$/);
  });

  it('get the options that the generator has', () => {
    const strategy = (name: string, sync: boolean) =>
      ({
        ...like(name, requiring<{ size?: number }>('size'), 'size'),
        guarantees: () => ({ ...local.guarantees({}), sync }),
      }) as unknown as IdStrategy;
    const generators = { order: { strategy: 'slow', size: 5, require: { sync: true } } };
    expect(() => planGenerators([strategy('slow', false), strategy('fast', true)], { generators })).toThrow(
      /: fast$/,
    );
  });

  it('are looked for as if both backends were there', () => {
    const url = v.pipe(v.string(), v.url());
    const options = v.object({ redis: url, database: url });
    const backed = {
      ...like('backed', options as unknown as IdStrategy['options'], 'redis', 'database'),
      guarantees: () => ({ ...local.guarantees({}), idType: 'bigint' as const }),
    };
    const generators = { order: { strategy: 'local', require: { type: 'bigint' } } };
    expect(() => planGenerators([local, backed] as IdStrategy[], { generators })).toThrow(/: backed$/);
  });
});
