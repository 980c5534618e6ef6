import type { RedisServer } from './redis-process.js';
import { withRedis } from './with-redis.js';

/** Whether every Sentinel knows all the others and all replicas, and can reach the primary. */
export async function groupComplete(
  sentinels: readonly RedisServer[],
  name: string,
  replicas: number,
): Promise<boolean> {
  const views = await Promise.all(
    sentinels.map((sentinel) => ask(sentinel, 'MASTER', name).then((reply) => fieldsOf(reply as string[]))),
  );
  return views.every(
    (view) =>
      view.get('flags') === 'master' &&
      view.get('num-slaves') === String(replicas) &&
      view.get('num-other-sentinels') === String(sentinels.length - 1),
  );
}

/** The primary, if all running Sentinels name the same one. */
export async function agreedPrimary(
  sentinels: readonly RedisServer[],
  name: string,
  servers: readonly RedisServer[],
): Promise<RedisServer | undefined> {
  const replies = await Promise.all(
    // A Sentinel that is down names nobody.
    sentinels.map((sentinel) => ask(sentinel, 'GET-MASTER-ADDR-BY-NAME', name).catch(() => undefined)),
  );
  const ports = replies.flatMap((reply) => (Array.isArray(reply) ? [Number(reply[1])] : []));
  const named = servers.find(({ port }) => port === ports[0]);
  if (named === undefined || new Set(ports).size > 1) return undefined;
  return named;
}

/** Whether `server` follows `primary` and has its data. */
export async function isReplicaInSync(server: RedisServer, primary: RedisServer): Promise<boolean> {
  const info = await withRedis(server.url, (client) => client.info('replication')).catch(() => '');
  return (
    info.includes('role:slave') &&
    info.includes(`master_port:${primary.port}\r\n`) &&
    info.includes('master_link_status:up')
  );
}

/** Asks the first Sentinel for a failover; false when it finds no replica fit for it yet. */
export async function orderFailover(sentinels: readonly RedisServer[], name: string): Promise<boolean> {
  const [sentinel] = sentinels;
  if (sentinel === undefined) return false;
  try {
    await ask(sentinel, 'FAILOVER', name);
    return true;
  } catch (error) {
    if (error instanceof Error && /^(NOGOODSLAVE|INPROG)/.test(error.message)) return false;
    throw error;
  }
}

// Milliseconds. A Sentinel makes a replica of any server that thinks itself a primary for four publish
// periods; that must be more than the second which a failover's leader may need to see that the promotion
// worked. It promotes only a replica that it heard of in the last five ping periods, and asks each once a
// second while the primary is down: with shorter ones it often finds none fit, and tries again seconds later.
const periods = { 'info-period': 200, 'ping-period': 300, 'ask-period': 100, 'publish-period': 750 };

/** Shortens the periods in which a Sentinel looks around, which are made for real networks. */
export async function hurry(sentinel: RedisServer): Promise<void> {
  // Before version 7 they are fixed: all goes as well, only slower.
  if (Number.parseInt(sentinel.version, 10) < 7) return;
  await ask(sentinel, 'DEBUG', ...Object.entries(periods).flat().map(String));
}

function ask(sentinel: RedisServer, ...words: readonly string[]): Promise<unknown> {
  return withRedis(sentinel.url, (client) => client.call('SENTINEL', ...words));
}

function fieldsOf(flat: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) fields.set(flat[i] ?? '', flat[i + 1] ?? '');
  return fields;
}
