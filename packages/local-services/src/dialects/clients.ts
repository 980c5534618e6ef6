import { type NeonQueryFunction, neon, neonConfig, Pool } from '@neondatabase/serverless';
import postgresJs from 'postgres';
import { WebSocket } from 'ws';
import type { SqlClient, SqlDialect } from './dialect.js';
import { startNeonStandIn } from './neon-stand-in.js';
import { postgres } from './postgres.js';

/** Options of a client of `postgres` that a test sets besides. */
type PostgresJsOptions = postgresJs.Options<Record<never, never>>;

/**
 * A client of `postgres` as a service makes one, which prints nothing. It connects again soon after an
 * outage: by default, it waits for up to 20 seconds.
 */
export function openPostgresJs(url: string, options: PostgresJsOptions = {}): postgresJs.Sql {
  return postgresJs(url, { max: 4, backoff: () => 0.05, onnotice: () => {}, ...options });
}

let standIn: Promise<void> | undefined;

/** Sends all that the driver of Neon sends to what stands in for Neon, from then on. */
function useStandIn(): Promise<void> {
  standIn ??= startNeonStandIn().then(({ sqlUrl, socketAddress }) => {
    neonConfig.fetchEndpoint = sqlUrl;
    neonConfig.wsProxy = socketAddress;
    neonConfig.webSocketConstructor = WebSocket;
    neonConfig.useSecureWebSocket = false;
    // It needs a proxy that asks for a password in clear text.
    neonConfig.pipelineConnect = false;
  });
  return standIn;
}

/** The function of Neon's driver that sends each statement over HTTP. */
export async function openNeonHttp(url: string): Promise<NeonQueryFunction<false, false>> {
  await useStandIn();
  return neon(url);
}

/** A pool of Neon's driver, over a WebSocket. */
export async function openNeonPool(url: string, max = 4): Promise<Pool> {
  await useStandIn();
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => {});
  return pool;
}

function through(client: string, openClient: SqlDialect['openClient']): SqlDialect {
  return { ...postgres, server: `Postgres through ${client}`, openClient };
}

export const POSTGRES_JS = through('postgres', async (url, max = 4): Promise<SqlClient> => {
  const sql = openPostgresJs(url, { max });
  // Seconds. A connection that is ended while it reads the types of arrays rejects a promise that nobody has.
  return { database: sql, end: () => sql.end({ timeout: 5 }) };
});

export const NEON_CLIENTS: readonly SqlDialect[] = [
  through('a Pool of Neon', async (url, max) => {
    const pool = await openNeonPool(url, max);
    return { database: pool, end: () => pool.end() };
  }),
  through('HTTP of Neon', async (url) => ({ database: await openNeonHttp(url), end: async () => {} })),
];
