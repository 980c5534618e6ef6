import { type ConfiguredGenerator, openGenerator } from '@ids/config';
import { missingFile } from '@ids/store/sqlite/file';
import { columnFacts } from '../columns/column.js';
import { openExisting } from '../tables/existing.js';
import { redisGrant } from '../tables/fixes.js';
import { neededBy } from '../tables/generators.js';
import type { RedisHash } from '../tables/redis.js';
import { redisChecks, serverChecks } from './backend-checks.js';
import { type Check, checked } from './check.js';
import { columnChecks } from './column-checks.js';
import { recordChecks } from './record-checks.js';
import { tableChecks } from './table-checks.js';

/**
 * Checks the backends of one of the generators. `seen` holds the servers that have been checked: each is
 * reported once.
 */
export async function backendChecks(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
  seen: Set<unknown>,
): Promise<Check[]> {
  const hash = hashOf(generator);
  const checks: Check[] = [];
  if (hash !== undefined && !seen.has(hash.redis)) {
    seen.add(hash.redis);
    checks.push(...(await redisChecks(hash)));
  }
  return [...checks, ...recordChecks(generator), ...(await databaseChecks(generator, all, seen))];
}

/** Where its ids come from in Redis. With a source of its own, it has no store, but may have a URL. */
function hashOf({ store, options: { redis } }: ConfiguredGenerator): RedisHash | undefined {
  const hash = store?.hash ?? store?.keys?.record?.('');
  return hash ?? (typeof redis === 'string' ? { redis, key: '' } : undefined);
}

/**
 * Whether the generators open, all at the same time in one process, as when a service starts. That checks
 * options, rights and durability, and probes the scripts of Redis. It may reserve a segment, so it is not for
 * a generator whose sequence lost some: see `mustNotOpen`.
 */
export async function openingChecks(generators: readonly ConfiguredGenerator[]): Promise<Check[]> {
  const opened = await Promise.allSettled(generators.map(openGenerator));
  const checks = generators.map(({ name, strategy, options }, index) =>
    checked(`generator ${name}`, async () => {
      const result = opened[index];
      if (result?.status !== 'fulfilled') {
        // The checks of its table report what the database lacks.
        const grant = redisGrant(String(Object(result?.reason).message), options.redis);
        if (grant !== undefined) throw new Error(`${result?.reason.message}. ${grant}`);
        throw result?.reason;
      }
      const { status } = result.value.generator.health();
      return [{ what: `generator ${name}`, status: 'ok', detail: `${strategy} opens, ${status}` }];
    }),
  );
  const found = (await Promise.all(checks)).flat();
  await Promise.all(
    opened.map((result) => (result.status === 'fulfilled' ? result.value.generator.close() : undefined)),
  );
  return found;
}

async function databaseChecks(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
  seen: Set<unknown>,
): Promise<Check[]> {
  const { column, store } = generator;
  if (store === undefined) {
    const detail = 'not checked: its generator names no database';
    return column === undefined ? [] : [{ what: `column ${column}`, status: 'warning', detail }];
  }
  const known = seen.has(store.database);
  seen.add(store.database);
  if (known && missingFile(store.database) !== undefined) return [];
  return checked('database', async () => {
    await using database = await openExisting(store.database);
    const server = known ? [] : await serverChecks(database);
    if (server.some(({ status }) => status === 'wrong')) return server;
    const needed = neededBy(generator, all);
    const table = needed === undefined ? [] : await tableChecks(database, needed, generator.name);
    if (column === undefined) return [...server, ...table];
    const facts = await checked(`column ${column}`, async () =>
      columnChecks(generator, await columnFacts(database, column)),
    );
    return [...server, ...table, ...facts];
  });
}

/**
 * Whether a generator must not be opened: that would create a missing file, or, by what the checks of its
 * backends found, accept the new reign of its table, or issue ids again.
 */
export function mustNotOpen({ store }: ConfiguredGenerator, checks: readonly Check[]): boolean {
  if (missingFile(store?.database) !== undefined) return true;
  if (store?.position === undefined) return false;
  return checks.some(({ what, status }) => status === 'wrong' && what === store.entry);
}

/** What is said of such a generator instead. */
export function notOpened({ name, store }: ConfiguredGenerator): Check {
  const isMissing = missingFile(store?.database) !== undefined;
  const why = isMissing ? ': it would create the file' : ', because of its sequence';
  return { what: `generator ${name}`, status: 'wrong', detail: `not opened${why}` };
}
