import pg from 'pg';
import { withRedis } from './with-redis.js';

const timeoutMs = 5_000;

/**
 * The version of the Redis at `url`. Rejects within about 5 s, without the password, when it does not answer.
 */
export async function checkRedisUrl(url: string): Promise<string> {
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
 * The version of the Postgres at `url`. Rejects within about 5 s, without the password,
 * when it does not answer.
 */
export async function checkDatabaseUrl(url: string): Promise<string> {
  const place = placeOf('DATABASE_URL', url, ['postgres:', 'postgresql:']);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
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

/** Host, port and database: what may be shown of a URL. */
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
  const mend = `start it, mend ${variable}, or unset ${variable} to have a ${service} started`;
  return new Error(`${variable}: no ${service} answers at ${place} (${why}): ${mend}`);
}
