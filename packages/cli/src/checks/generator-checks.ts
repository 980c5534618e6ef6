import { type ConfiguredGenerator, columnFindings } from '@ids/config';
import { openDatabase, sequenceOf } from '../sequence-place.js';
import { type Check, checked } from './check.js';
import { columnFacts } from './column-facts.js';
import { sequenceChecks, serverChecks } from './database-checks.js';
import { redisChecks } from './redis-checks.js';

const DEFAULT_TABLE = 'id_segment';

/**
 * What a generator needs, and whether it opens. `seen` holds the servers that were looked at already, which are told once.
 */
export async function generatorChecks(generator: ConfiguredGenerator, seen: Set<unknown>): Promise<Check[]> {
  const { name, strategy, options } = generator;
  const checks: Check[] = [];
  if (typeof options.redis === 'string' && !seen.has(options.redis)) {
    seen.add(options.redis);
    checks.push(...(await redisChecks(options.redis)));
  }
  checks.push(...(await databaseChecks(generator, seen)));
  const what = `generator ${name}`;
  // The same that a service does when it starts: options, rights, durability, and a probe of Redis scripts.
  const opened = await checked(what, async () => {
    await using open = await generator.create();
    return [{ what, status: 'ok', detail: `${strategy} opens, ${open.health().status}` }];
  });
  return [...checks, ...opened];
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
      const sequence = await sequenceChecks(
        database,
        place.table ?? DEFAULT_TABLE,
        place.name,
        generator.options,
      );
      if (column === undefined) return [...server, ...sequence];
      return [
        ...server,
        ...sequence,
        ...(await columnChecks(generator, await columnFacts(database, column))),
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
