import { IdError } from '@ids/core';
import { ExhaustionForecast, UsageRate } from '@ids/segment';
import type { RedisSegmentListener } from './events.js';

/** What the calls of a dispenser are waiting for: the cause of a timeout, and the reason in `health`. */
export class Waits {
  readonly #name: string;
  readonly #onEvent: RedisSegmentListener;
  /** When the take in flight was sent; a reading of `performance.now()`. */
  #askedAt: number | undefined;
  /** When ids were booked for which no segment has come yet. */
  #bookedAt: Date | undefined;
  /** Whether a call has timed out since ids last came. */
  #timingOut = false;

  constructor(name: string, onEvent: RedisSegmentListener) {
    this.#name = name;
    this.#onEvent = onEvent;
  }

  /** A take was sent. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** The take was answered. */
  answered(): void {
    this.#askedAt = undefined;
  }

  /** Calls have to wait for a segment. */
  booked(): void {
    this.#bookedAt ??= new Date();
  }

  /** There are ids in Redis again. */
  segmentCame(): void {
    this.#bookedAt = undefined;
  }

  /** Calls got ids. */
  idsCame(): void {
    this.#bookedAt = undefined;
    this.#timingOut = false;
  }

  /** A call timed out. Emits an event for the first one since ids came. */
  timedOut(error: IdError): void {
    if (this.#timingOut) return;
    this.#timingOut = true;
    this.#onEvent({ type: 'timeout', name: this.#name, error });
  }

  /** Why a call has no id, if nothing has failed. */
  get reason(): IdError {
    if (this.#askedAt !== undefined) {
      const ms = Math.round(performance.now() - this.#askedAt);
      return new IdError('ERR_IDS_TIMEOUT', `Redis has not answered for ${ms} ms`);
    }
    if (this.#bookedAt !== undefined) return noSegmentSince(this.#bookedAt);
    return new IdError('ERR_IDS_TIMEOUT', 'neither an answer from Redis nor a segment came in that time');
  }
}

function noSegmentSince(date: Date): IdError {
  const message = `no segment has come for the ids that were booked at ${date.toISOString()}`;
  return new IdError('ERR_IDS_TIMEOUT', message);
}

/** How long ids will last at the rate of all processes, from the replies to takes: it needs no extra call. */
export class Outlook {
  readonly #usage = new UsageRate(performance.now());
  readonly #forecast = new ExhaustionForecast();
  #left = 0;
  #highWaterMark = 0;
  /** How many ids all processes together were seen to use; those used while a segment came are not seen. */
  #used = 0;

  /** Call it with each reply to a take: `left` ids in Redis, and the last id of the newest segment. */
  heard(left: number, highWaterMark: number): void {
    const now = performance.now();
    this.#used += Math.max(0, this.#left - left);
    this.#left = left;
    this.#usage.look(this.#used, now);
    if (highWaterMark <= this.#highWaterMark) return;
    this.#highWaterMark = highWaterMark;
    this.#forecast.note({ low: highWaterMark, high: highWaterMark }, now);
  }

  /** Ids per second; 0 while unknown. */
  get idsPerSecond(): number {
    return this.#usage.look(this.#used, performance.now());
  }

  /** When the last id of the range will be reached; undefined before the second segment. */
  get exhaustedAt(): Date | undefined {
    return this.#forecast.at(performance.now());
  }
}
