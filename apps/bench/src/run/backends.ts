import { type LocalServicesOptions, startLocalServices } from '@ids/local-services';
import type { Backend, CaseEnvironment } from '../bench-case.js';

export interface Backends {
  readonly urls: Pick<CaseEnvironment, 'redisUrl' | 'databaseUrl'>;
  readonly versions: { readonly redis?: string; readonly postgres?: string };
  /** Why a wanted backend is not there. */
  readonly missing: ReadonlyMap<Backend, string>;
  /** Ends the servers that were started here. */
  close(): Promise<void>;
}

/**
 * What is measured: servers of the user's, where a variable names one, else servers of our own. One
 * may fail without the other.
 */
export async function startBackends(wanted: ReadonlySet<Backend>): Promise<Backends> {
  const missing = new Map<Backend, string>();
  async function start<const Options extends LocalServicesOptions>(backend: Backend, options: Options) {
    if (!wanted.has(backend)) return undefined;
    try {
      return await startLocalServices(options);
    } catch (error) {
      missing.set(backend, (error as Error).message);
      return undefined;
    }
  }
  const [redis, postgres] = await Promise.all([
    start('redis', { redis: true, postgres: false }),
    start('sql', { redis: false, postgres: true }),
  ]);
  return {
    urls: {
      ...(redis && { redisUrl: redis.redisUrl }),
      ...(postgres && { databaseUrl: postgres.databaseUrl }),
    },
    versions: { ...redis?.versions, ...postgres?.versions },
    missing,
    async close() {
      await Promise.all([redis?.close(), postgres?.close()]);
    },
  };
}
