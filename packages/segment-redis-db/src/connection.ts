import { IdError } from '@ids/core';
import type { RefillFailure } from '@ids/segment';
import type { RedisLike } from './scripts.js';

/** The states of an ioredis `Redis` or `Cluster` in which a command waits for a connection, or fails. */
const WITHOUT_CONNECTION: readonly unknown[] = [
  'connecting',
  'connect',
  'close',
  'reconnecting',
  'disconnecting',
  'end',
];

/**
 * What the client knows of its connection, read whenever somebody asks: no I/O, and no listener on a client
 * of the caller. A client without `status` says nothing. A `Cluster` is connected as long as one node is.
 */
export class Connection {
  readonly #redis: { readonly status?: unknown };
  #lost: RefillFailure | undefined;

  constructor(redis: RedisLike) {
    this.#redis = redis as { readonly status?: unknown };
  }

  /** That there is no connection, since when that was first read; undefined if there is one. */
  get failure(): RefillFailure | undefined {
    const { status } = this.#redis;
    if (!WITHOUT_CONNECTION.includes(status)) this.#lost = undefined;
    else this.#lost ??= { error: noConnection(String(status)), at: new Date() };
    return this.#lost;
  }
}

function noConnection(status: string): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `the client has no connection to Redis: its status is "${status}"`,
  );
}
