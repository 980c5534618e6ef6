import { IdError } from '@ids/core';
import { type Failure, LastFailure } from '@ids/waiting';
import type { Waits } from './health.js';
import type { Refiller } from './refiller.js';
import type { RedisLike } from './scripts.js';

/** The states of a client in which a command waits for a connection, or fails, in the words of ioredis. */
const WITHOUT_CONNECTION: readonly unknown[] = [
  'connecting',
  'connect',
  'close',
  'reconnecting',
  'disconnecting',
  'end',
];

/** Why the calls of a dispenser get no ids: a failure of Redis or of the source, or what they wait for. */
export class Failures {
  /** Of the last take, or of the last attempt to collect booked ids. */
  readonly takes = new LastFailure();
  /** That the hash returned ids again; until it returns higher ones. */
  readonly tampered = new LastFailure();
  readonly #redis: { readonly status?: unknown };
  readonly #refiller: Refiller;
  readonly #waits: Waits;
  #lost: Failure | undefined;

  constructor(redis: RedisLike, refiller: Refiller, waits: Waits) {
    this.#redis = redis as { readonly status?: unknown };
    this.#refiller = refiller;
    this.#waits = waits;
  }

  /** Undefined while nothing is known to be wrong. */
  get current(): Failure | undefined {
    return this.ofRedis ?? this.#refiller.failure ?? this.tampered.current;
  }

  /** That Redis does not answer, or is not connected. */
  get ofRedis(): Failure | undefined {
    return this.takes.current ?? this.#connection;
  }

  /**
   * That there is no connection, since when that was first read. It is what the client knows when somebody
   * asks: no I/O, and no listener on a client of the caller. A client without `status` says nothing. A
   * `Cluster` is connected as long as one node is.
   */
  get #connection(): Failure | undefined {
    const { status } = this.#redis;
    const why = `the client has no connection to Redis: its status is "${String(status)}"`;
    if (!WITHOUT_CONNECTION.includes(status)) this.#lost = undefined;
    else this.#lost ??= { error: new IdError('ERR_IDS_UNAVAILABLE', why), at: new Date() };
    return this.#lost;
  }

  /** Why a call has no id yet. */
  get reason(): IdError {
    return this.current?.error ?? this.#waits.reason;
  }
}
