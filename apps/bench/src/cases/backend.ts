import { createSequence, ensureSchema, fromPgUrl, type SqlExecutor } from '@ids/segment/sql';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
import type { Redis } from 'ioredis';
import type { CaseEnvironment, Preparable } from './case.js';

/** The schema that holds everything of one run in Postgres. */
export function schemaOf({ runId }: CaseEnvironment): string {
  return `ids_bench_${runId}`;
}

/** The prefix of every Redis key of one run. */
export function keyPrefixOf({ runId }: CaseEnvironment): string {
  return `ids-bench:${runId}:`;
}

/** The URL of a backend that the case declares, so that it is never opened without it. */
export function need(url: string | undefined, backend: string): string {
  if (url === undefined) throw new Error(`opened without ${backend}`);
  return url;
}

/** The options with which a strategy finds its table in the run's schema. */
function tableOf(environment: CaseEnvironment, table: string) {
  return {
    database: need(environment.databaseUrl, 'Postgres'),
    table: `${schemaOf(environment)}.${table}`,
  };
}

export const segmentsOf = (environment: CaseEnvironment) => tableOf(environment, 'id_segment');
export const slotsOf = (environment: CaseEnvironment) => tableOf(environment, 'id_slot');

type Stages = Required<Pick<Preparable, 'prepare' | 'cleanUp'>>;

/** The run's schema, with what `create` makes in it. It goes with the first case that cleans up. */
export function withSchema(
  create: (executor: SqlExecutor, environment: CaseEnvironment) => Promise<unknown>,
): Stages {
  return {
    prepare: (environment) =>
      withExecutor(environment, async (executor) => {
        await executor.execute(`CREATE SCHEMA IF NOT EXISTS ${schemaOf(environment)}`, []);
        await create(executor, environment);
      }),
    cleanUp: (environment) =>
      withExecutor(environment, (executor) =>
        executor.execute(`DROP SCHEMA IF EXISTS ${schemaOf(environment)} CASCADE`, []),
      ),
  };
}

/** A sequence in the run's schema, in a table that `ensure` makes. */
export function withSequence(name: string, ensure: typeof ensureSchema = ensureSchema): Stages {
  return withSchema(async (executor, environment) => {
    const { table } = segmentsOf(environment);
    await ensure(executor, { table });
    await createSequence(executor, name, { table });
  });
}

/** Slots in the run's schema, for a case that reserves time for them there. */
export function withSlots(name: string): Stages {
  return withSchema(async (executor, environment) => {
    const { table } = slotsOf(environment);
    await ensureSlotSchema(executor, { table });
    await createSlots(executor, name, { table });
  });
}

/** After `stages`, a key of the run is deleted; with a `*` at its end, all keys that begin like that. */
export function withRedisKey(keyOf: (environment: CaseEnvironment) => string, stages?: Stages) {
  return {
    ...stages,
    async cleanUp(environment: CaseEnvironment): Promise<void> {
      const redis = await openRedis(environment);
      const key = keyOf(environment);
      // A search goes through all keys of the server.
      const found = key.endsWith('*') ? redis.scanStream({ match: key, count: 1_000 }) : [[key]];
      for await (const keys of found) if (keys.length > 0) await redis.unlink(...keys);
      await redis.quit();
      await stages?.cleanUp(environment);
    },
  };
}

/** A sequence that Redis dispenses. */
export function withRedisSequence(name: string): Stages {
  return withRedisKey((environment) => `${keyPrefixOf(environment)}{${name}}`, withSequence(name)) as Stages;
}

/** A connection whose calls are pipelined, and fail by themselves. */
export async function openRedis({ redisUrl }: CaseEnvironment): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(need(redisUrl, 'Redis'), { enableAutoPipelining: true });
  return redis.on('error', () => {});
}

async function withExecutor(
  { databaseUrl }: CaseEnvironment,
  work: (executor: SqlExecutor) => Promise<unknown>,
): Promise<void> {
  const executor = await fromPgUrl(need(databaseUrl, 'Postgres'));
  try {
    await work(executor);
  } finally {
    await executor.close();
  }
}
