import { IdError } from '@ids/core';
import { isNodeRedisLike } from './node-redis.js';
import type { RedisClient } from './open-redis.js';
import type { Listening, RedisLike } from './scripts.js';
import { SILENT_MS } from './time-limits.js';

/** The states of a client with a connection, in the words of ioredis; undefined where it does not say. */
const CONNECTED: readonly unknown[] = ['ready', 'connect', undefined];

/** That Redis left calls unanswered on a connection that counts as open. */
export interface SilenceEvent {
  readonly type: 'silent-connection';
  readonly name: string;
  /** For how many milliseconds. */
  readonly silentMs: number;
  /** Whether another connection is opened in its place: only where a URL was given. */
  readonly replaced: boolean;
  /** What happened and, for a client of the caller, which of its options replaces such a connection. */
  readonly error: IdError;
}

export interface SilenceOptions {
  readonly name: string;
  /** As the caller passed it, for advice. */
  readonly client: RedisClient | string;
  readonly redis: RedisLike;
  /** Opens another connection in place of the present one; false if there is none. Undefined: not ours. */
  readonly replace: (() => boolean) | undefined;
  readonly onEvent: (event: SilenceEvent) => void;
}

/**
 * Notices a frozen connection: of a server that hangs, or that is gone without a word, such as behind a
 * firewall that forgot the connection. Without this, ioredis and node-redis wait until the system gives the
 * connection up, which takes a quarter of an hour. Calls tell, not a time limit of the socket: they count
 * only the time in which this process could read an answer.
 */
export class Silence implements Listening {
  readonly #options: SilenceOptions;
  /** When the first of the calls was sent that have had no answer; a reading of `performance.now()`. */
  #since: number | undefined;
  #told = false;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  answered(): void {
    this.#since = undefined;
    this.#told = false;
  }

  unanswered(sentAt: number): void {
    this.#since ??= sentAt;
    const silentMs = Math.round(performance.now() - this.#since);
    if (silentMs < SILENT_MS) return;
    const { name, client, redis, replace, onEvent } = this.#options;
    const connected = CONNECTED.includes((redis as { readonly status?: unknown }).status);
    const replaced = replace?.() ?? false;
    if (replaced) this.#since = undefined;
    if (this.#told || !(replaced || connected)) return;
    this.#told = true;
    const what = `Redis has not answered for ${silentMs} ms, on a connection that counts as open`;
    const then = replaced ? 'it is replaced' : `it is the caller's, so it stays: ${adviceFor(client)}`;
    const error = new IdError('ERR_IDS_TIMEOUT', `${what}; ${then}`);
    onEvent({ type: 'silent-connection', name, silentMs, replaced, error });
  }
}

/** Which option makes a client replace such a connection by itself, or who else can. */
function adviceFor(client: RedisClient | string): string {
  // Its socketTimeout begins anew with each command that is written.
  if (isNodeRedisLike(client)) {
    return 'no option of node-redis ends it while calls go on; call destroy() and connect() on this event, or pass a URL';
  }
  const isCluster = (client as { readonly isCluster?: unknown }).isCluster === true;
  const option = isCluster ? 'redisOptions: { socketTimeout: 1500 }' : 'socketTimeout: 1500';
  return `the option ${option} of ioredis makes it open another one`;
}
