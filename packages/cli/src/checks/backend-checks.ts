import { lackingRights, type NewReignOptions, type SqlExecutor, SqlSegmentSource } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import type { NeededTable } from '../generators.js';
import { isMysql, mysqlServer } from '../mysql-queries.js';
import { schemaSteps } from '../schema-steps.js';
import { type Check, checked, clockCheck } from './check.js';

/** The time limit for answers of Redis, in milliseconds. */
const WITHIN_MS = 3_000;

/**
 * Whether the server at `url` answers, in which role, and whether its clock agrees. Changes nothing in it.
 */
export async function redisChecks(url: string): Promise<Check[]> {
  return checked('redis', async () => {
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: WITHIN_MS,
      commandTimeout: WITHIN_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    let lost: Error | undefined;
    redis.on('error', (error) => {
      lost = error;
    });
    try {
      await redis.connect().catch((error: unknown) => {
        throw lost ?? error;
      });
      const before = Date.now();
      const [seconds, micros] = await redis.time();
      const clock = clockCheck('redis', Number(seconds) * 1_000 + Number(micros) / 1_000, before, Date.now());
      return [await serverCheck(redis), clock];
    } finally {
      redis.disconnect();
    }
  });
}

async function serverCheck(redis: Redis): Promise<Check> {
  const info = await redis.info();
  const field = (name: string): string =>
    new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? 'unknown';
  const [role, policy] = [field('role'), field('maxmemory_policy')];
  const about = `Redis ${field('redis_version')}, ${role}, eviction ${policy}`;
  if (role === 'slave')
    return { what: 'redis', status: 'wrong', detail: `${about}: a replica issues no IDs` };
  if (policy !== 'noeviction' && policy !== 'unknown') {
    return {
      what: 'redis',
      status: 'warning',
      detail: `${about}: each eviction of a sequence loses a segment`,
    };
  }
  return { what: 'redis', status: 'ok', detail: about };
}

const SERVER = `
SELECT current_setting('server_version') AS version, current_user AS role,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS now, pg_is_in_recovery() AS standby`;

/** Whether the server answers, as which role, and whether its clock agrees. */
export async function serverChecks(database: SqlExecutor): Promise<Check[]> {
  return checked('database', async () => {
    const before = Date.now();
    if (isMysql(database)) {
      const { about, now, readOnly } = await mysqlServer(database);
      const detail = readOnly ? `${about}, read-only: connect to the primary` : about;
      return [
        { what: 'database', status: readOnly ? 'wrong' : 'ok', detail },
        clockCheck('database', now, before, Date.now()),
      ];
    }
    const { rows } = await database.execute(SERVER, []);
    const after = Date.now();
    const { version, role, now, standby } = rows[0] ?? {};
    return [
      {
        what: 'database',
        status: standby === true ? 'wrong' : 'ok',
        detail: `Postgres ${version} as ${role}${standby === true ? ', a standby: connect to the primary' : ''}`,
      },
      clockCheck('database', Number(now), before, after),
    ];
  });
}

/**
 * Whether the table exists, the role may use it and it contains the sequences. Also warns of failures that
 * the store would not survive and its guards would not notice. `options` are those of the generator.
 */
export async function sequenceChecks(
  database: SqlExecutor,
  needed: NeededTable,
  generator: string,
  options: NewReignOptions = {},
): Promise<Check[]> {
  const { table, log } = needed;
  const what = `table ${table}`;
  const rights = await checked(what, () => rightsChecks(database, needed, generator));
  if (rights.some(({ status }) => status === 'wrong')) return rights;
  const sequences = needed.sequences.map(({ name }) =>
    checked(`sequence ${name}`, async () => {
      const source = new SqlSegmentSource(database, { ...options, table, log });
      const { maxId, warnings = [] } = await source.describe(name);
      const warned = warnings.map(
        (detail): Check => ({ what: `sequence ${name}`, status: 'warning', detail }),
      );
      return [{ what: `sequence ${name}`, status: 'ok', detail: `reserved up to ${maxId}` }, ...warned];
    }),
  );
  return [...rights, ...(await Promise.all(sequences)).flat()];
}

/** Each check says who needs the right and how to grant it. */
async function rightsChecks(database: SqlExecutor, needed: NeededTable, generator: string): Promise<Check[]> {
  const { table, log } = needed;
  const what = `table ${table}`;
  const { role, needed: rights, forGuard, grants } = await lackingRights(database, { table, log });
  const lacks = (names: readonly string[]): string => `role "${role}" lacks ${names.join(' and ')}`;
  if (rights.length > 0)
    return [
      { what, status: 'wrong', detail: `${lacks(rights)}, which generators.${generator} needs: ${grants}` },
    ];
  const missing = (await schemaSteps(database, needed)).flatMap(({ creates }) => creates);
  // The source itself warns of missing guards.
  const wrong = missing.filter((thing) => !thing.startsWith('guards '));
  if (wrong.length > 0) {
    return wrong.map((thing) => ({
      what: thing,
      status: 'wrong',
      detail: `is missing, and generators.${generator} needs it: create it with npx --no ids apply`,
    }));
  }
  const present: Check = { what, status: 'ok', detail: `present, with all rights of role "${role}"` };
  if (forGuard.length === 0) return [present];
  const detail = `${lacks(forGuard)}, so restores and promotions are not noticed: ${grants}`;
  return [{ what, status: 'warning', detail }];
}
