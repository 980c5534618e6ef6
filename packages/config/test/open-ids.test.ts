import { IdError, type IdGenerator, type IdStrategy, isIdError, type SyncIdGenerator } from '@ids/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineConfig, type IdsConfig, type OpenedIds, openIds } from '../src/index.js';
import { local, requiring, sharedStrategy } from './support.js';

async function messageOf(config: object, code: string): Promise<string> {
  const { strategy } = sharedStrategy();
  const error = await openIds({ strategies: [local, strategy], config: config as IdsConfig }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isIdError(error)) throw new Error(`expected an IdError, got ${String(error)}`);
  expect(error.code).toBe(code);
  return error.message;
}

describe('openIds', () => {
  it('opens every generator under its name, typed by its strategy', async () => {
    const config = defineConfig({
      generators: { event: { strategy: 'local', prefix: 'e' }, log: { strategy: 'local' } },
    });
    await using ids = await openIds({ strategies: [local], config });
    expectTypeOf(ids.get('event')).toEqualTypeOf<SyncIdGenerator<string>>();
    expect(ids.get('event').nextSync()).toBe('e1');
    expect(ids.get('log').nextSync()).toBe('l1');
  });

  it('gives ids the text that encode describes, and types them so', async () => {
    const { strategy } = sharedStrategy();
    const config = defineConfig({
      redis: 'r',
      database: 'd',
      generators: {
        order: { strategy: 'shared', encode: { as: 'base62', width: 9, prefix: 'ord_' } },
        event: { strategy: 'local', encode: { prefix: 'e-' } },
      },
    });
    await using ids = await openIds({ strategies: [local, strategy], config });
    expectTypeOf(ids.get('order').next).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(ids.get('order').decode).returns.toEqualTypeOf<number>();
    expectTypeOf(ids.get('order')).not.toHaveProperty('nextSync');
    expectTypeOf(ids.get('event').nextSync).returns.toEqualTypeOf<string>();
    expect(await ids.get('order').next()).toBe('ord_000000001');
    expect(ids.get('order').decode('ord_000000001')).toBe(1);
    expect(ids.get('event').nextSync()).toBe('e-l1');
  });

  it('types ids by the option that chooses among the types of a strategy', async () => {
    const { strategy } = sharedStrategy();
    const chosen = {
      ...strategy,
      options: requiring<{ as?: string }>(),
      optionNames: ['as'],
    } as unknown as IdStrategy<
      'shared',
      { as?: 'number' | 'bigint' | 'string' },
      object,
      IdGenerator<number | bigint | string>,
      readonly [
        readonly [{ readonly as: 'number' }, IdGenerator<number>],
        readonly [{ readonly as: 'bigint' }, IdGenerator<bigint>],
        readonly [{ readonly as: 'string' }, IdGenerator<string>],
      ]
    >;
    const config = defineConfig({
      generators: { a: { strategy: 'shared' }, b: { strategy: 'shared', as: 'bigint' } },
    });
    await using ids = await openIds({ strategies: [chosen], config });
    expectTypeOf(ids.get('a').next).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(ids.get('b').next).returns.resolves.toEqualTypeOf<bigint>();
    expect(await ids.get('a').next()).toBe(1);
  });

  it('gives each generator its own name and the shared backends, unless it names others', async () => {
    const { strategy, opened } = sharedStrategy();
    const config = {
      redis: 'r',
      database: 'd',
      generators: {
        order: { strategy: 'shared' },
        user: { strategy: 'shared', name: 'people', redis: 'r2' },
      },
    } as const;
    await using _ids = await openIds({ strategies: [local, strategy], config });
    expect(opened.map(({ options }) => options)).toEqual([
      { name: 'order', redis: 'r', database: 'd' },
      { name: 'people', redis: 'r2', database: 'd' },
    ]);
  });

  it('closes what it had opened when another generator cannot be opened', async () => {
    const { strategy, opened } = sharedStrategy();
    const shared = { strategy: 'shared', redis: 'r' } as const;
    const config = {
      generators: { good: { ...shared, database: 'up' }, bad: { ...shared, database: 'down' } },
    };
    await expect(openIds({ strategies: [strategy], config })).rejects.toThrow('no database answers');
    expect(opened.map(({ generator }) => generator.health().status)).toEqual(['closed']);
  });

  it('reports why a generator cannot be opened, also if closing another one fails', async () => {
    const { strategy, opened } = sharedStrategy();
    const failing: typeof strategy = {
      ...strategy,
      create: async (options) => {
        const generator = await strategy.create(options);
        return Object.assign(generator, { close: () => Promise.reject(new Error('cannot close')) });
      },
    };
    const shared = { strategy: 'shared', redis: 'r' } as const;
    const config = {
      generators: {
        first: { ...shared, database: 'up' },
        second: { strategy: 'local' },
        bad: { ...shared, database: 'down' },
      },
    } as const;
    await expect(openIds({ strategies: [failing, local], config })).rejects.toThrow('no database answers');
    expect(opened).toHaveLength(1);
  });

  it('names the generator that cannot be opened, and keeps the code and the cause', async () => {
    const { strategy } = sharedStrategy();
    const down = new Error('connect ECONNREFUSED 127.0.0.1:6379');
    const failing = {
      ...strategy,
      create: () => Promise.reject(new IdError('ERR_IDS_UNAVAILABLE', 'Redis is down', { cause: down })),
    };
    const config = { redis: 'r', database: 'd', generators: { order: { strategy: 'shared' } } } as const;
    await expect(openIds({ strategies: [failing], config })).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: 'generators.order: Redis is down',
      cause: down,
    });
  });

  it('closes all generators together', async () => {
    const ids = await openIds({
      strategies: [local],
      config: { generators: { event: { strategy: 'local' } } },
    });
    const generator = ids.get('event');
    await ids.close();
    expect(generator.health().status).toBe('closed');
  });

  it('gives a generator of an unknown config the type of the needs that it meets', async () => {
    const config: IdsConfig = { generators: { event: { strategy: 'local' } } };
    await using ids: OpenedIds<Record<string, IdGenerator>> = await openIds({ strategies: [local], config });
    expectTypeOf(ids.get('event')).toEqualTypeOf<IdGenerator>();
    const texts = ids.get('event', { type: 'string', sync: true });
    expectTypeOf(texts).toEqualTypeOf<SyncIdGenerator<string>>();
    expect(texts.nextSync()).toMatch(/^\D+1$/);
    expectTypeOf(ids.get('event', { sync: true })).toEqualTypeOf<SyncIdGenerator>();
    const numbers = () => ids.get('event', { type: 'number' });
    expectTypeOf(numbers).returns.toEqualTypeOf<IdGenerator<number>>();
  });

  it('refuses a generator that does not meet the needs of the code', async () => {
    const config: IdsConfig = { generators: { event: { strategy: 'local' } } };
    await using ids = await openIds({ strategies: [local], config });
    const get = () => ids.get('event', { type: 'number', order: { cluster: 'real-time' } });
    expect(get).toThrow(expect.objectContaining({ code: 'ERR_IDS_UNMET' }));
    expect(get).toThrow(/^generators\.event: .*real-time.*number/);
  });

  it('lists all of them by name', async () => {
    const generators = { event: { strategy: 'local' }, log: { strategy: 'local' } };
    await using ids = await openIds({ strategies: [local], config: { generators } });
    expect(Object.keys(ids.generators)).toEqual(['event', 'log']);
    expect(ids.generators.log).toBe(ids.get('log'));
  });

  it('says which names there are when asked for another', async () => {
    await using ids = await openIds({
      strategies: [local],
      config: { generators: { event: { strategy: 'local' } } },
    });
    expect(() => (ids.get as (name: string) => unknown)('evnt')).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/"evnt".*"event"/),
      }),
    );
  });
});

describe('needs', () => {
  const requiring = (need: object, strategy = 'local') => ({
    generators: { order: { strategy, require: need } },
  });

  it.each([{ order: { cluster: 'real-time' } }, { type: 'number' }])(
    'refuses a strategy that does not offer %j and names one that does',
    async (need) => {
      expect(await messageOf(requiring(need), 'ERR_IDS_UNMET')).toMatch(
        /^generators\.order: local .* shared$/,
      );
    },
  );

  it.each([{ sync: true }, { offline: true }])(
    'refuses a strategy with backends where the service needs %j',
    async (need) => {
      const config = { redis: 'r', database: 'd', ...requiring(need, 'shared') };
      expect(await messageOf(config, 'ERR_IDS_UNMET')).toMatch(/^generators\.order: shared .* local$/);
    },
  );

  it('accepts what is offered exactly or exceeded', async () => {
    const need = {
      unique: 'process',
      order: { process: 'increasing', cluster: 'k-sorted' },
      type: 'string',
      sync: true,
    } as const;
    await using ids = await openIds({ strategies: [local], config: requiring(need) });
    expect(ids).toBeDefined();
  });

  it('opens nothing when a need is not met', async () => {
    const { strategy, opened } = sharedStrategy();
    const config = {
      redis: 'r',
      database: 'd',
      generators: {
        order: { strategy: 'shared' },
        event: { strategy: 'local', require: { type: 'bigint' } },
      },
    } as const;
    await expect(openIds({ strategies: [local, strategy], config })).rejects.toMatchObject({
      code: 'ERR_IDS_UNMET',
    });
    expect(opened).toEqual([]);
  });
});
