import { type RedisServer, startRedisProcess } from './redis-process.js';

/** Where and how a Redis is started. */
export interface RedisOptions {
  /** Server options as on the command line, after and so above the defaults: `['--appendonly', 'yes']`. */
  readonly args?: readonly string[];
  /** 1 to 65535; a free one by default. */
  readonly port?: number;
  /** An existing folder for the data, which is left in place by `close()`; by default a temporary one. */
  readonly dir?: string;
}

const defaults = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/**
 * Starts a Redis that keeps its data in memory only, unless `args` say otherwise, and waits until it answers
 * PING. It ends with this process, however that ends. Rejects when there is no `redis-server`, with the
 * command that mends it, or with what the server printed.
 */
export function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { args = [], ...place } = options;
  return startRedisProcess(place, (port, dir) => [
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', dir],
    ...defaults,
    ...args,
  ]);
}
