import { createSequence, ensureSchema, fromPgUrl, type SqlExecutor } from '@ids/segment/sql';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
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

/** The options with which a strategy finds the run's segments. */
export function segmentsOf(environment: CaseEnvironment) {
  return {
    database: need(environment.databaseUrl, 'Postgres'),
    table: `${schemaOf(environment)}.id_segment`,
  };
}

/** A sequence in the run's schema, for a case that reserves its segments there. */
export function withSequence(name: string): Pick<Preparable, 'prepare' | 'cleanUp'> {
  return {
    prepare: (environment) =>
      withSchema(environment, async (executor) => {
        const { table } = segmentsOf(environment);
        await ensureSchema(executor, { table });
        await createSequence(executor, name, { table });
      }),
    cleanUp: dropSchema,
  };
}

/** The same, where Redis dispenses the sequence. */
export function withRedisSequence(name: string): Pick<Preparable, 'prepare' | 'cleanUp'> {
  return {
    ...withSequence(name),
    async cleanUp(environment) {
      await dropKey(environment, `${keyPrefixOf(environment)}{${name}}`);
      await dropSchema(environment);
    },
  };
}

/** The options with which a strategy finds the run's slots. */
export function slotsOf(environment: CaseEnvironment) {
  return {
    database: need(environment.databaseUrl, 'Postgres'),
    table: `${schemaOf(environment)}.id_slot`,
  };
}

/** Slots in the run's schema, for a case that reserves time for them there. */
export function withSlots(name: string): Pick<Preparable, 'prepare' | 'cleanUp'> {
  return {
    prepare: (environment) =>
      withSchema(environment, async (executor) => {
        const { table } = slotsOf(environment);
        await ensureSlotSchema(executor, { table });
        await createSlots(executor, name, { table });
      }),
    cleanUp: dropSchema,
  };
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

/** Creates the run's schema if necessary, then runs `work`. */
export function withSchema(
  environment: CaseEnvironment,
  work: (executor: SqlExecutor) => Promise<unknown>,
): Promise<void> {
  return withExecutor(environment, async (executor) => {
    await executor.execute(`CREATE SCHEMA IF NOT EXISTS ${schemaOf(environment)}`, []);
    await work(executor);
  });
}

/** Removes everything of the run from the database; the schema may already have been dropped. */
export function dropSchema(environment: CaseEnvironment): Promise<void> {
  return withExecutor(environment, (executor) =>
    executor.execute(`DROP SCHEMA IF EXISTS ${schemaOf(environment)} CASCADE`, []),
  );
}

/** Deletes a key of the run. */
export async function dropKey({ redisUrl }: CaseEnvironment, key: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(need(redisUrl, 'Redis'));
  redis.on('error', () => {});
  await redis.del(key);
  await redis.quit();
}
