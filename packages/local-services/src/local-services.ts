import { checkDatabaseUrl, checkRedisUrl } from './external-services.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';
import type { RedisServer } from './redis-process.js';
import { startRedis } from './redis-server.js';

/** Which services are wanted; both by default. */
export interface LocalServicesOptions {
  readonly redis?: boolean;
  readonly postgres?: boolean;
}

/** Both, as by default. */
interface AllServices extends LocalServicesOptions {
  readonly redis?: true;
  readonly postgres?: true;
}

type UrlIf<Wanted> = Wanted extends false ? undefined : string;

/** Services to talk to, whoever started them. */
export interface LocalServices<Options extends LocalServicesOptions = AllServices> extends AsyncDisposable {
  readonly redisUrl: UrlIf<Options['redis']>;
  readonly databaseUrl: UrlIf<Options['postgres']>;
  /** Only when it was started here, and so is not what REDIS_URL names. */
  readonly redis?: RedisServer;
  /** Only when it was started here, and so is not what DATABASE_URL names. */
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
 * The services that REDIS_URL and DATABASE_URL name, and for a variable that is not set a server
 * started for the purpose. Rejects, with nothing left running, when a named service does not answer
 * or one cannot be started.
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
