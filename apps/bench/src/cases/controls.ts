import * as crypto from 'node:crypto';
import type { Id } from '@ids/core';
import { fromPgUrl } from '@ids/segment/sql';
import { keyPrefixOf, need, openRedis, schemaOf, withRedisKey, withSchema } from './backend.js';
import type { CaseEnvironment, ControlCase, IdFormat } from './case.js';

function control(name: string, format: IdFormat, make: () => Promise<() => Id>): ControlCase {
  return {
    kind: 'control',
    name,
    backends: [],
    format,
    async open() {
      const nextSync = await make();
      return { nextSync, next: async () => nextSync(), close: async () => {} };
    },
  };
}

function usual(name: string, format: IdFormat, make: () => Promise<() => Id>): ControlCase {
  return { ...control(name, format, make), usual: true };
}

const NUMBERS: IdFormat = {
  idType: 'number',
  text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false },
};
const SNOWFLAKE: IdFormat = {
  idType: 'bigint',
  text: { pattern: /^\d{1,19}$/, maxLength: 19, sortable: false },
};

function strings(pattern: RegExp, maxLength: number): IdFormat {
  return { idType: 'string', text: { pattern, maxLength, sortable: false } };
}

const UUID_V4 = strings(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 36);
const UUID_V7 = strings(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 36);

/** The types of Node.js 20 do not have it. */
const { randomUUIDv7 } = crypto as { readonly randomUUIDv7?: () => string };

const randomUuidV7: ControlCase = {
  ...usual('crypto.randomUUIDv7', UUID_V7, async () => randomUUIDv7 as () => string),
  ...(randomUUIDv7 === undefined && { missing: 'needs Node.js 24.16 or 26.1' }),
};

const allInMemory: readonly ControlCase[] = [
  control('empty loop', NUMBERS, async () => {
    let count = 0;
    return () => ++count;
  }),
  usual('crypto.randomUUID', UUID_V4, async () => () => crypto.randomUUID()),
  randomUuidV7,
  control('bson ObjectId', strings(/^[0-9a-f]{24}$/, 24), async () => {
    const { ObjectId } = await import('bson');
    return () => new ObjectId().toHexString();
  }),
  control('uuidv7', UUID_V7, async () => {
    const { uuidv7 } = await import('uuidv7');
    return () => uuidv7();
  }),
  usual('uuid v7', UUID_V7, async () => {
    const { v7 } = await import('uuid');
    return () => v7();
  }),
  usual('nanoid', strings(/^[\w-]{21}$/, 21), async () => {
    const { nanoid } = await import('nanoid');
    return () => nanoid();
  }),
  control('@sapphire/snowflake', SNOWFLAKE, async () => {
    const { Snowflake } = await import('@sapphire/snowflake');
    const snowflake = new Snowflake(1_735_689_600_000);
    return () => snowflake.generate();
  }),
  usual('ulid', strings(/^[0-9A-HJKMNP-TV-Z]{26}$/, 26), async () => {
    const { monotonicFactory } = await import('ulid');
    const ulid = monotonicFactory();
    return () => ulid();
  }),
];

/**
 * The usual alternatives that this Node.js has, and the cost of the measurement itself (`empty loop`). Each
 * worker loads only the library that it measures.
 */
export const memoryControls = allInMemory.filter(({ missing }) => missing === undefined);

/** The control of this name, also one that is missing here. Throws if there is none. */
export function memoryControl(name: string): ControlCase {
  const found = allInMemory.find((control) => control.name === name);
  if (found === undefined) throw new RangeError(`there is no control "${name}"`);
  return found;
}

const keyOf = (environment: CaseEnvironment) => `${keyPrefixOf(environment)}incr`;

/** One counter in Redis over one connection, pipelined automatically: no lease, no guard, no database. */
export const redisIncr: ControlCase = {
  kind: 'control',
  name: 'redis INCR',
  backends: ['redis'],
  format: NUMBERS,
  ...withRedisKey(keyOf),
  async open(environment) {
    const redis = await openRedis(environment);
    const key = keyOf(environment);
    return {
      next: () => redis.incr(key),
      async nextBatch(count) {
        const high = await redis.incrby(key, count);
        return Array.from({ length: count }, (_, i) => high - count + 1 + i);
      },
      close: async () => void (await redis.quit()),
    };
  },
};

/** Connections in the pool of what people write in SQL, as a service would configure it. */
export const CONNECTIONS = 16;

const sequenceOf = (environment: CaseEnvironment) => `${schemaOf(environment)}.control`;

/** One round trip to a Postgres sequence per call. */
export const postgresNextval: ControlCase = {
  kind: 'control',
  name: 'postgres nextval',
  backends: ['sql'],
  format: NUMBERS,
  usual: true,
  ...withSchema((executor, environment) =>
    executor.execute(`CREATE SEQUENCE ${sequenceOf(environment)}`, []),
  ),
  async open(environment) {
    const executor = await fromPgUrl(need(environment.databaseUrl, 'Postgres'), { max: CONNECTIONS });
    const text = `SELECT nextval('${sequenceOf(environment)}') AS id FROM generate_series(1, $1::int)`;
    const nextBatch = async (count: number) => {
      const { rows } = await executor.execute(text, [count]);
      return rows.map(({ id }) => Number(id));
    };
    return {
      next: async () => (await nextBatch(1))[0] as number,
      nextBatch,
      close: async () => executor.close(),
    };
  },
};
