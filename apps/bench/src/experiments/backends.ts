import { abortable } from '@ids/core/strategy';
import { startLocalServices } from '@ids/local-services';
import type { Backend, CaseEnvironment } from '../cases/case.js';
import { UsageError } from '../cases/select.js';
import type { Environment } from '../schema/run.js';
import type { WorkRecord } from './steps.js';

/** The variable names a server of the user. */
const SERVERS = {
  redis: { name: 'Redis', variable: 'REDIS_URL' },
  sql: { name: 'Postgres', variable: 'DATABASE_URL' },
} as const;

export interface Backends {
  readonly urls: Pick<CaseEnvironment, 'redisUrl' | 'databaseUrl'>;
  readonly servers: Pick<Environment, 'redis' | 'postgres' | 'byUrl'>;
  /** Stops the servers that were started here. */
  close(): Promise<void>;
}

/**
 * The servers that the records need: the user's if a variable names one, otherwise servers of our own. One of
 * our own can fail without the other, and its records are skipped; one of the user's that does not answer is
 * a `UsageError`.
 */
export async function openBackends(
  records: readonly WorkRecord[],
  signal: AbortSignal,
  show: (names: string) => void,
): Promise<Backends> {
  const needed = new Set(records.flatMap(({ benchCase }) => benchCase.backends));
  const wanted = (['redis', 'sql'] as const).filter((backend) => needed.has(backend));
  if (wanted.length > 0) show(wanted.map((backend) => SERVERS[backend].name).join(' and '));
  const starting = Promise.allSettled(
    wanted.map((one) => startLocalServices({ redis: one === 'redis', postgres: one === 'sql' })),
  );
  const close = async () => {
    const started = (await starting).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(started.map((services) => services.close()));
  };
  const settled = await abortable(starting, signal).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const refused: string[] = [];
  const byUrl: Backend[] = [];
  let found: Pick<Backends, 'urls' | 'servers'> = { urls: {}, servers: {} };
  for (const [i, one] of settled.entries()) {
    const backend = wanted[i] as Backend;
    if (one.status === 'fulfilled') {
      const { redisUrl, databaseUrl, redis, postgres, versions } = one.value;
      if (redis === undefined && postgres === undefined) byUrl.push(backend);
      found = {
        urls: { ...found.urls, ...(redisUrl && { redisUrl }), ...(databaseUrl && { databaseUrl }) },
        servers: { ...found.servers, ...versions },
      };
    } else if (process.env[SERVERS[backend].variable]) refused.push(one.reason.message);
    else {
      const concerned = records.filter(({ benchCase }) => benchCase.backends.includes(backend));
      for (const record of concerned) record.stop('skipped', one.reason.message);
    }
  }
  if (refused.length > 0) {
    await close();
    throw new UsageError(refused.join('\n'));
  }
  const { urls, servers } = found;
  return { urls, servers: { ...servers, ...(byUrl.length > 0 && { byUrl }) }, close };
}
