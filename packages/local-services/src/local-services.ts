import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** Which services to start; both by default. */
export interface LocalServicesOptions {
  readonly redis?: boolean;
  readonly postgres?: boolean;
}

/** Both, which is the default. */
interface AllServices extends LocalServicesOptions {
  readonly redis?: true;
  readonly postgres?: true;
}

type UrlIf<Wanted> = Wanted extends false ? undefined : string;

/** Services to connect to, whoever started them. */
export interface LocalServices<Options extends LocalServicesOptions = AllServices> extends AsyncDisposable {
  readonly redisUrl: UrlIf<Options['redis']>;
  readonly databaseUrl: UrlIf<Options['postgres']>;
  /** Present only if it was started here, and so is not the one in REDIS_URL. */
  readonly redis?: RedisServer;
  /** Present only if it was started here, and so is not the one in DATABASE_URL. */
  readonly postgres?: PostgresServer;
  readonly versions: { readonly redis?: string; readonly postgres?: string };
  /** Ends what was started here. Idempotent. */
  close(): Promise<void>;
}

interface Service<Server> {
  readonly url: string;
  readonly version: string;
  readonly server?: Server;
}

/**
 * Connects to the services in REDIS_URL and DATABASE_URL, and starts a server for each variable that is not
 * set. If a service does not answer or a server does not start, rejects and leaves nothing running.
 */
export async function startLocalServices<const Options extends LocalServicesOptions = AllServices>(
  options?: Options,
): Promise<LocalServices<Options>> {
  const wanted: LocalServicesOptions = { redis: true, postgres: true, ...options };
  const [redis, postgres] = await Promise.allSettled([
    wanted.redis ? redisService() : undefined,
    wanted.postgres ? postgresService() : undefined,
  ]);
  const close = async () => {
    await Promise.all(
      [redis, postgres].map((one) => (one.status === 'fulfilled' ? one.value?.server?.close() : undefined)),
    );
  };
  if (redis.status === 'rejected' || postgres.status === 'rejected') {
    await close();
    throw redis.status === 'rejected' ? redis.reason : (postgres as PromiseRejectedResult).reason;
  }
  return {
    redisUrl: redis.value?.url as UrlIf<Options['redis']>,
    databaseUrl: postgres.value?.url as UrlIf<Options['postgres']>,
    ...(redis.value?.server && { redis: redis.value.server }),
    ...(postgres.value?.server && { postgres: postgres.value.server }),
    versions: {
      ...(redis.value && { redis: redis.value.version }),
      ...(postgres.value && { postgres: postgres.value.version }),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function redisService(): Promise<Service<RedisServer>> {
  const url = process.env.REDIS_URL;
  if (url) return { url, version: await checkRedisUrl(url) };
  const server = await startRedis();
  return { url: server.url, version: server.version, server };
}

async function postgresService(): Promise<Service<PostgresServer>> {
  const url = process.env.DATABASE_URL;
  if (url) return { url, version: await checkDatabaseUrl(url) };
  const server = await startPostgres();
  return { url: server.url, version: server.version, server };
}

const answerTimeoutMs = 5_000;

/**
 * The version of the Redis at `url`. If it does not answer, rejects within about 5 s, without the password.
 */
async function checkRedisUrl(url: string): Promise<string> {
  const place = placeOf('REDIS_URL', url, ['redis:', 'rediss:']);
  try {
    return await withRedis(url, async (client) => {
      await client.ping();
      return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown';
    });
  } catch (error) {
    throw noAnswer('REDIS_URL', place, error, 'Redis');
  }
}

/**
 * The version of the Postgres at `url`. If it does not answer, rejects within about 5 s, without the
 * password.
 */
async function checkDatabaseUrl(url: string): Promise<string> {
  const place = placeOf('DATABASE_URL', url, ['postgres:', 'postgresql:']);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? 'unknown';
  } catch (error) {
    throw noAnswer('DATABASE_URL', place, error, 'Postgres');
  } finally {
    await client.end().catch(() => {});
  }
}

/** Host, port and database: the parts of a URL that may be shown. */
function placeOf(variable: string, url: string, protocols: readonly string[]): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !protocols.includes(parsed.protocol)) {
    const accepted = protocols.map((protocol) => `${protocol}//...`).join(' and ');
    // The value is not shown, because it may hold a password.
    throw new Error(`${variable} is not a URL of the accepted kind (${accepted})`);
  }
  return `${parsed.host}${parsed.pathname}`;
}

function noAnswer(variable: string, place: string, reason: unknown, service: string): Error {
  const why =
    reason instanceof Error ? reason.message || (reason as NodeJS.ErrnoException).code : String(reason);
  const mend = `start it, fix ${variable}, or unset ${variable} to have a ${service} started`;
  return new Error(`${variable}: no ${service} answers at ${place} (${why}): ${mend}`);
}
