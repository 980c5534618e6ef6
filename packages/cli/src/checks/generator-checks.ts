import { type ConfiguredGenerator, columnFindings } from '@ids/config';
import { redisGrant } from '../mend.js';
import { neededTables } from '../needed-tables.js';
import { openDatabase, sequenceOf } from '../sequence-place.js';
import { type Check, checked } from './check.js';
import { columnFacts } from './column-facts.js';
import { sequenceChecks, serverChecks } from './database-checks.js';
import { redisChecks } from './redis-checks.js';

/** What a generator needs. `seen` holds the servers that were looked at already, which are told once. */
export async function backendChecks(generator: ConfiguredGenerator, seen: Set<unknown>): Promise<Check[]> {
  const { redis } = generator.options;
  const checks: Check[] = [];
  if (typeof redis === 'string' && !seen.has(redis)) {
    seen.add(redis);
    checks.push(...(await redisChecks(redis)));
  }
  return [...checks, ...(await databaseChecks(generator, seen))];
}

/**
 * Whether the generators open, all at the same time and in one process: the same that a service does when it
 * starts. Looks at options, rights and durability, and probes the scripts of Redis.
 */
export async function openingChecks(generators: readonly ConfiguredGenerator[]): Promise<Check[]> {
  const opened = await Promise.allSettled(generators.map((generator) => generator.create()));
  const checks = generators.map(({ name, strategy, options }, index) =>
    checked(`generator ${name}`, async () => {
      const result = opened[index];
      if (result?.status !== 'fulfilled') {
        // What the database lacks is told by the checks of its table.
        const grant = redisGrant(String(Object(result?.reason).message), options.redis);
        if (grant !== undefined) throw new Error(`${result?.reason.message}. ${grant}`);
        throw result?.reason;
      }
      const { status } = result.value.health();
      return [{ what: `generator ${name}`, status: 'ok', detail: `${strategy} opens, ${status}` }];
    }),
  );
  const found = (await Promise.all(checks)).flat();
  await Promise.all(
    opened.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)),
  );
  return found;
}

async function databaseChecks(generator: ConfiguredGenerator, seen: Set<unknown>): Promise<Check[]> {
  const place = sequenceOf(generator);
  const { column } = generator;
  if (place === undefined) {
    const detail = 'not looked at: its generator names no database';
    return column === undefined ? [] : [{ what: `column ${column}`, status: 'warning', detail }];
  }
  return checked('database', async () => {
    const database = await openDatabase(place.database);
    try {
      const server = seen.has(place.database) ? [] : await serverChecks(database);
      seen.add(place.database);
      if (server.some(({ status }) => status === 'wrong')) return server;
      const [needed] = neededTables([generator]);
      const sequence =
        needed === undefined ? [] : await sequenceChecks(database, needed, generator.name, generator.options);
      if (column === undefined) return [...server, ...sequence];
      return [
        ...server,
        ...sequence,
        ...(await checked(`column ${column}`, async () =>
          columnChecks(generator, await columnFacts(database, column)),
        )),
      ];
    } finally {
      await database.close();
    }
  });
}

async function columnChecks(
  { guarantees }: ConfiguredGenerator,
  facts: Awaited<ReturnType<typeof columnFacts>>,
): Promise<Check[]> {
  return [...columnFindings(guarantees, facts)].map(({ about, verdict, from, to, advice }) => ({
    what: `${about} ${facts.name}`,
    status: verdict === 'danger' ? 'wrong' : 'ok',
    detail: `${from}; ids: ${to}${advice === undefined ? '' : `; ${advice}`}`,
  }));
}
