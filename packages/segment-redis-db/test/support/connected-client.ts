import type { RedisClient, RedisLike } from '../../src/index.js';
import { driverOf } from '../../src/open-redis.js';

/** A client as its package makes it, and as the dispenser calls it. */
export interface Connected {
  readonly client: RedisClient;
  readonly redis: RedisLike;
  disconnect(): void;
}

/** In the words of ioredis, also of a client of node-redis. */
export function statusOf({ redis }: Connected): string | undefined {
  return (redis as { readonly status?: string }).status;
}

/** Ignores errors: servers are killed on purpose, and whoever calls sees it as a rejection. */
export function quiet<Client extends { on(event: 'error', listener: () => void): unknown }>(
  client: Client,
): Client {
  client.on('error', () => undefined);
  return client;
}

/** What both kinds of ioredis client have beside commands. */
export interface Connecting {
  readonly status: string;
  once(event: 'ready', listener: () => void): unknown;
  disconnect(): void;
}

/**
 * Resolves once `client` is connected. A call leaves Redis one second, in which a busy machine may not even
 * find all nodes.
 */
export async function connected(client: Connecting): Promise<void> {
  if (client.status !== 'ready') await new Promise<void>((resolve) => client.once('ready', resolve));
}

export function ofIoredis(client: RedisLike & Connecting): Connected {
  return { client, redis: client, disconnect: () => client.disconnect() };
}

interface Destroyable {
  readonly isOpen: boolean;
  destroy(): unknown;
}

export function ofNodeRedis(client: RedisClient & Destroyable): Connected {
  return {
    client,
    redis: driverOf(client),
    disconnect: () => void (client.isOpen && client.destroy()),
  };
}
