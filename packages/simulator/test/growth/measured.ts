import type { IdGenerator } from '@ids/core';
import { startLocalServices } from '@ids/local-services';
import { MemorySegmentSource, type SegmentSource } from '@ids/segment';
import { ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { fromPgUrl } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import { CALLERS, type Cost, type Load, percentile } from './load.js';

/** Milliseconds before what is counted, in which steps grow with demand. */
const WARM_UP_MS = 1_000;
/** Generators that are started at the same time. */
const STARTS_AT_ONCE = 64;
/** Sequences whose segments come from the table. */
const MOST_IN_TABLE = 10_000;
/** Callers that go round all sequences of a process, once there are more sequences than that. */
const MOST_CALLERS = 64;

export interface Measured extends Cost {
  /** Bytes that Redis keeps for one sequence. */
  readonly bytesPerSequence: number;
}

/**
 * Asks real servers on this machine without a pause, from generators that share one Node.js process
 * and have a connection each.
 */
export async function measure(load: Load, runMs: number): Promise<Measured> {
  await using services = await startLocalServices({ redis: true, postgres: true });
  const executor = await fromPgUrl(services.databaseUrl, { max: 4 });
  const clients = Array.from({ length: load.processes }, () => new Redis(services.redisUrl));
  const open: IdGenerator<number>[] = [];
  try {
    await ensureSchema(executor);
    const names = Array.from({ length: load.sequences }, (_, i) => `s${i}`);
    await executor.execute('INSERT INTO id_segment (server_name, max_id) SELECT unnest($1::text[]), 0', [
      names,
    ]);
    // Above that many, opening them all through one Postgres would take longer than everything else.
    const table =
      load.sequences > MOST_IN_TABLE
        ? new MemorySegmentSource(Object.fromEntries(names.map((name) => [name, {}])))
        : new SqlSegmentSource(executor);
    let reservations = 0;
    const source: SegmentSource = {
      describe: (name, options) => table.describe(name, options),
      reserve: (name, size, options) => {
        reservations++;
        return table.reserve(name, size, options);
      },
      close: () => table.close(),
    };
    const jobs = clients.flatMap((redis) => names.map((name) => ({ redis, name, source })));
    await Promise.all(
      Array.from({ length: STARTS_AT_ONCE }, async () => {
        for (let job = jobs.pop(); job !== undefined; job = jobs.pop())
          open.push(await createSegmentRedisDbGenerator(job));
      }),
    );
    const admin = clients[0] as Redis;
    const waits: number[] = [];
    await callFor(WARM_UP_MS, open, load, []);
    const before = await scriptsOf(admin);
    reservations = 0;
    const start = performance.now();
    await callFor(runMs, open, load, waits);
    const seconds = (performance.now() - start) / 1_000;
    waits.sort((a, b) => a - b);
    return {
      ...load,
      ids: waits.length,
      scripts: (await scriptsOf(admin)) - before,
      reservations,
      seconds,
      p50: percentile(waits, 0.5),
      p99: percentile(waits, 0.99),
      bytesPerSequence: Number(await admin.memory('USAGE', `ids:{${names[0]}}`)),
    };
  } finally {
    await Promise.all(open.map((generator) => generator.close()));
    for (const client of clients) client.disconnect();
    await executor.close();
  }
}

async function callFor(
  ms: number,
  generators: readonly IdGenerator<number>[],
  { processes, sequences }: Load,
  waits: number[],
): Promise<void> {
  const end = performance.now() + ms;
  const callers = Math.min(CALLERS * sequences, MOST_CALLERS) * processes;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let turn = caller; ; turn += callers) {
        const start = performance.now();
        if (start >= end) return;
        await generators[turn % generators.length]?.next();
        waits.push(performance.now() - start);
      }
    }),
  );
}

/** How many scripts Redis has run. */
async function scriptsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  const runs = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
  return runs.reduce((sum, [, calls]) => sum + Number(calls), 0);
}
