import { type FailoverGroup, startPostgres, startRedis } from '@ids/local-services';
import { Redis } from 'ioredis';
import { openRoutes, type Route } from './routes.js';
import { type OwnClient, ROWS_OF_DATABASE, ROWS_OF_REDIS, type Rows, type Way } from './rows.js';

/** Servers as a service has them, one group of which fails over. */
export interface Stack extends AsyncDisposable {
  readonly group: FailoverGroup;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: Rows;
  /** Where the rows are created. */
  readonly database: string;
  /** Each row has a process for each of these and each of its strategies. */
  readonly ways: readonly Way[];
  /** Empties a Redis that does not fail over. */
  flush?(): Promise<void>;
}

/** All strategies, on a database that fails over, and a Redis beside it. */
export async function stackOfDatabase(group: FailoverGroup, planned: boolean): Promise<Stack> {
  const redis = await startRedis();
  const routes = await openRoutes(group, planned);
  return {
    group,
    versions: { ...group.versions, redis: redis.version },
    rows: ROWS_OF_DATABASE,
    database: (await group.leaderAfter(undefined)).url,
    ways: routes.map(({ label, url }, i) => ({
      label,
      database: url,
      redis: redis.url,
      keyPrefix: `half${i % 2}:`,
    })),
    flush: () => flush(redis.url),
    [Symbol.asyncDispose]: () => closeAll([...routes, redis, group]),
  };
}

/** What uses Redis, on one that fails over, beside a Postgres. */
export async function stackOfRedis(
  group: FailoverGroup,
  clients: Readonly<Record<string, () => Promise<OwnClient>>>,
  routes: readonly Route[] = [],
): Promise<Stack> {
  const postgres = await startPostgres();
  const database = postgres.url;
  return {
    group,
    versions: { ...group.versions, postgres: postgres.version },
    rows: ROWS_OF_REDIS,
    database,
    ways: [...Object.entries(clients), ...routes.map(({ label, url }) => [label, url] as const)].map(
      ([label, redis]) => ({ label, database, redis, keyPrefix: 'ids:' }),
    ),
    [Symbol.asyncDispose]: () => closeAll([...routes, group, postgres]),
  };
}

interface Client {
  on(event: 'error', listener: () => void): unknown;
}

/** Its errors are those of its calls. */
export function ofIoredis(redis: OwnClient['redis'] & Client & { disconnect(): void }): OwnClient {
  redis.on('error', () => {});
  return { redis, close: () => redis.disconnect() };
}

export async function ofNodeRedis(
  redis: OwnClient['redis'] & Client & { connect(): Promise<unknown>; destroy(): unknown },
): Promise<OwnClient> {
  redis.on('error', () => {});
  await redis.connect();
  return { redis, close: () => void redis.destroy() };
}

async function closeAll(opened: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
}

async function flush(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
}
