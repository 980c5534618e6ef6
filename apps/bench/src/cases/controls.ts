import { randomUUID } from 'node:crypto';
import type { Id } from '@ids/core';
import { fromPgUrl, type SqlResult } from '@ids/segment/sql';
import { bigserial, nanoId, ulidFromFactory, uuidV4, uuidV7 } from './alternatives.js';
import { dropKey, dropSchema, keyPrefixOf, need, schemaOf, withSchema } from './backend.js';
import type { Alternative, CaseEnvironment, ControlCase, IdFormat } from './case.js';

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

function usual(name: string, alternative: Alternative, make: () => Promise<() => Id>): ControlCase {
  return { ...control(name, alternative.guarantees, make), alternative };
}

const NUMBERS: IdFormat = {
  idType: 'number',
  text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false },
};
const SNOWFLAKE: IdFormat = {
  idType: 'bigint',
  text: { pattern: /^\d{1,19}$/, maxLength: 19, sortable: false },
};
const OBJECT_ID: IdFormat = {
  idType: 'string',
  text: { pattern: /^[0-9a-f]{24}$/, maxLength: 24, sortable: false },
};

/**
 * The usual alternatives, and the cost of the measurement itself (`empty loop`). Each worker loads only the
 * library that it measures.
 */
export const memoryControls: readonly ControlCase[] = [
  control('empty loop', NUMBERS, async () => {
    let count = 0;
    return () => ++count;
  }),
  usual('crypto.randomUUID', uuidV4, async () => () => randomUUID()),
  control('bson ObjectId', OBJECT_ID, async () => {
    const { ObjectId } = await import('bson');
    return () => new ObjectId().toHexString();
  }),
  control('uuidv7', uuidV7.guarantees, async () => {
    const { uuidv7 } = await import('uuidv7');
    return () => uuidv7();
  }),
  usual('uuid v7', uuidV7, async () => {
    const { v7 } = await import('uuid');
    return () => v7();
  }),
  usual('nanoid', nanoId, async () => {
    const { nanoid } = await import('nanoid');
    return () => nanoid();
  }),
  control('@sapphire/snowflake', SNOWFLAKE, async () => {
    const { Snowflake } = await import('@sapphire/snowflake');
    const snowflake = new Snowflake(1_735_689_600_000);
    return () => snowflake.generate();
  }),
  usual('ulid', ulidFromFactory, async () => {
    const { monotonicFactory } = await import('ulid');
    const ulid = monotonicFactory();
    return () => ulid();
  }),
];

/** The control of this name. Throws if there is none. */
export function memoryControl(name: string): ControlCase {
  const found = memoryControls.find((control) => control.name === name);
  if (found === undefined) throw new RangeError(`there is no control "${name}"`);
  return found;
}

/** One counter in Redis over one connection, pipelined automatically: no lease, no guard, no database. */
export const redisIncr: ControlCase = {
  kind: 'control',
  name: 'redis INCR',
  backends: ['redis'],
  format: NUMBERS,
  async open(environment) {
    const { Redis } = await import('ioredis');
    const redis = new Redis(need(environment.redisUrl, 'Redis'), { enableAutoPipelining: true });
    // Its calls fail by themselves.
    redis.on('error', () => {});
    const key = keyOf(environment);
    return {
      next: () => redis.incr(key),
      async nextBatch(count) {
        const high = await redis.incrby(key, count);
        return Array.from({ length: count }, (_, i) => high - count + 1 + i);
      },
      async close() {
        await redis.quit();
      },
    };
  },
  cleanUp: (environment) => dropKey(environment, keyOf(environment)),
};

function keyOf(environment: CaseEnvironment): string {
  return `${keyPrefixOf(environment)}incr`;
}

/** Connections in the pool, as a service would configure it. Further callers wait for one. */
const NEXTVAL_CONNECTIONS = 16;

/** One round trip to a Postgres sequence per call. */
export const postgresNextval: ControlCase = {
  kind: 'control',
  name: 'postgres nextval',
  backends: ['sql'],
  format: bigserial.guarantees,
  alternative: bigserial,
  prepare: (environment) =>
    withSchema(environment, (executor) => executor.execute(`CREATE SEQUENCE ${sequenceOf(environment)}`, [])),
  cleanUp: dropSchema,
  async open(environment) {
    const url = need(environment.databaseUrl, 'Postgres');
    const executor = await fromPgUrl(url, { max: NEXTVAL_CONNECTIONS });
    const one = `SELECT nextval('${sequenceOf(environment)}') AS id`;
    const many = `${one} FROM generate_series(1, $1::int)`;
    return {
      next: async () => idsOf(await executor.execute(one, []))[0] as number,
      nextBatch: async (count) => idsOf(await executor.execute(many, [count])),
      close: async () => executor.close(),
    };
  },
};

function idsOf({ rows }: SqlResult): number[] {
  return rows.map(({ id }) => Number(id));
}

function sequenceOf(environment: CaseEnvironment): string {
  return `${schemaOf(environment)}.control`;
}
