import type { KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema, keyTableOf } from '@ids/keyed/sql';
import { dumpTable, openPostgresPool, uniqueName } from '@ids/local-services';
import { injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import type { SequenceGroup } from '@ids/segment';
import { createSequence } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import {
  createKeyedSegmentRedisDbGenerator,
  type KeyedSegmentRedisDbEvent,
  type KeyedSegmentRedisDbOptions,
} from '../../src/index.js';
import { currentClient } from './client-names.js';
import { connectTo } from './connect-to.js';
import { fault } from './fixture.js';

/** What is skipped after a change of the reign of the database. */
export const SKIP = 100;

/** One family in tables of its own on a Postgres, by default the shared one, for the time of a test. */
export class KeyedFamily {
  readonly name = 'message';
  /** Of all generators that were opened here. */
  readonly events: KeyedSegmentRedisDbEvent[] = [];
  readonly #generators: KeyedIdGenerator<number>[] = [];
  /** What was issued of each key, in the order of the calls. */
  readonly issued = new Map<string, number[]>();

  readonly pool: pg.Pool;
  readonly database: string;
  readonly table: string;
  readonly keyPrefix: string;

  private constructor(pool: pg.Pool, database: string, unique: string) {
    this.pool = pool;
    this.database = database;
    this.table = unique;
    this.keyPrefix = `${unique}:`;
  }

  static async create(database = inject('databaseUrl'), group?: SequenceGroup): Promise<KeyedFamily> {
    const unique = uniqueName('keyed');
    const pool = openPostgresPool(database, { max: 4 });
    onTestFinished(() => pool.end());
    const family = new KeyedFamily(pool, database, unique);
    const executor = fromPg(pool);
    await ensureKeyedSchema(executor, { table: family.table });
    await createSequence(executor, family.name, { table: family.table, group });
    return family;
  }

  /** A generator, as in a process of its own. */
  async open(
    redis: KeyedSegmentRedisDbOptions['redis'] = inject('redisUrl'),
    options: Partial<Omit<KeyedSegmentRedisDbOptions, 'as'>> = {},
  ): Promise<KeyedIdGenerator<number>> {
    const { name, database, table, keyPrefix } = this;
    const generator = await createKeyedSegmentRedisDbGenerator({
      ...{ name, keyed: true, redis: clientFor(redis), database, table, keyPrefix },
      ...{ afterFailover: SKIP, afterRestore: SKIP, minStep: 20, maxStep: 20 },
      onEvent: (event) => this.events.push(event),
      ...options,
    });
    onTestFinished(() => generator.close());
    this.#generators.push(generator);
    return generator;
  }

  /** Issues ids of each key. */
  async take(generator: KeyedIdGenerator<number>, keys: readonly string[], count = 5): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const ids = await generator.nextBatch(key, count);
        this.issued.set(key, [...(this.issued.get(key) ?? []), ...ids]);
      }),
    );
  }

  /** Fails unless each key got so many ids, none twice and none out of order, and all was counted. */
  expectSound(count: number): void {
    this.expectCounted();
    for (const [key, ids] of this.issued) {
      expect(fault(ids), key).toBeUndefined();
      expect(ids, key).toHaveLength(count);
    }
  }

  /** Fails unless the counters and the health of all generators say what their events said. */
  expectCounted(): void {
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const [discards, voids] = [this.eventsOf('discard'), this.eventsOf('void')];
    const regressions = this.eventsOf('regression').length;
    const changed = sum(this.eventsOf('new-reign').map(({ keys }) => keys.length));
    const all = this.#generators.map((generator) => generator.counters?.() ?? {});
    const counted = (name: keyof (typeof all)[number]) =>
      sum(all.map((counters) => counters[name] ?? Number.NaN));
    expect({
      idsDiscarded: counted('idsDiscarded'),
      refills: counted('refills'),
      takes: counted('takes'),
      stateLosses: counted('stateLosses'),
      regressions: counted('regressions'),
      newKeys: counted('newKeys'),
    }).toEqual({
      idsDiscarded: sum([
        ...discards.map(({ segment }) => segment.high - segment.low + 1),
        ...voids.map(({ dropped }) => dropped),
      ]),
      refills: sum(this.eventsOf('refill').map(({ keys }) => keys)),
      takes: this.eventsOf('reserve').length,
      stateLosses: sum(voids.map(({ keys }) => keys)),
      regressions: regressions + changed,
      newKeys: sum(this.eventsOf('reserve').map(({ newKeys }) => newKeys)),
    });
    const noted = this.#generators.filter((generator) => generator.health().lastRegression !== undefined);
    expect(noted.length > 0).toBe(regressions + changed > 0);
  }

  /** How many keys were found void for each reason. */
  get voids(): Record<string, number> {
    const voids: Record<string, number> = {};
    for (const event of this.events) {
      if (event.type === 'void') voids[event.reason] = (voids[event.reason] ?? 0) + event.keys;
    }
    return voids;
  }

  /** The events of one type. */
  eventsOf<Type extends KeyedSegmentRedisDbEvent['type']>(
    type: Type,
  ): Extract<KeyedSegmentRedisDbEvent, { type: Type }>[] {
    return this.events.filter((event) => event.type === type) as Extract<
      KeyedSegmentRedisDbEvent,
      { type: Type }
    >[];
  }

  /** Where Redis keeps a key; without one, the family. */
  recordOf(key?: string): string {
    const family = `${this.keyPrefix}{${this.name}}`;
    return key === undefined ? family : `${family}:${key}`;
  }

  /** Remembers the rows of now. The result loses all changes since then, as a restored backup does. */
  async dump(): Promise<() => Promise<void>> {
    const tables = [this.table, keyTableOf(this.table)];
    const dumps = await Promise.all(tables.map((table) => dumpTable(this.database, table)));
    return async () => {
      await injectFault(async () => {
        for (const one of dumps) await one.restoreTo(this.database);
      });
    };
  }
}

/** Opened by a URL, it would always be ioredis. */
function clientFor(redis: KeyedSegmentRedisDbOptions['redis']): KeyedSegmentRedisDbOptions['redis'] {
  if (typeof redis !== 'string' || currentClient() === 'ioredis') return redis;
  const connected = connectTo(redis);
  onTestFinished(() => connected.disconnect());
  return connected.client;
}

/** A client of the test itself. */
export function clientOf(url = inject('redisUrl')): Redis {
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', () => {
    // Servers are killed on purpose.
  });
  onTestFinished(() => client.disconnect());
  return client;
}
