import { IdError } from '@ids/core';
import { ExhaustionForecast } from '@ids/segment';
import { type Range, UsageRate } from '@ids/waiting';
import type { SegmentRedisDbListener } from './events.js';

/** What the calls of a dispenser are waiting for: the cause of a timeout, and the reason in `health`. */
export class Waits {
  readonly #name: string;
  readonly #onEvent: SegmentRedisDbListener;
  /** When the take in flight was sent, a reading of `performance.now()`; undefined once it is answered. */
  askedAt: number | undefined;
  /** When ids were booked for which no segment has come yet. */
  bookedAt: Date | undefined;
  /** Whether a call has timed out since ids last came. */
  #timingOut = false;
  #timeouts = 0;

  constructor(name: string, onEvent: SegmentRedisDbListener) {
    this.#name = name;
    this.#onEvent = onEvent;
  }

  /** Calls got ids. */
  served(): void {
    this.bookedAt = undefined;
    this.#timingOut = false;
  }

  /** A call timed out. Emits an event for the first one since ids came. */
  timedOut(error: IdError): void {
    this.#timeouts += 1;
    if (this.#timingOut) return;
    this.#timingOut = true;
    this.#onEvent({ type: 'timeout', name: this.#name, error });
  }

  /** How many calls timed out. */
  get timeouts(): number {
    return this.#timeouts;
  }

  /** Why a call has no id, if nothing has failed. */
  get reason(): IdError {
    if (this.askedAt !== undefined) {
      const ms = Math.round(performance.now() - this.askedAt);
      return new IdError('ERR_IDS_TIMEOUT', `Redis has not answered for ${ms} ms`);
    }
    if (this.bookedAt !== undefined) return noSegmentSince(this.bookedAt);
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
  #remaining = 0;
  /** How many ids all processes together were seen to use; those used while a segment came are not seen. */
  #used = 0;

  /** Call it with each reply to a take: `left` ids in Redis, and the last id of the newest segment. */
  onTake(left: number, highWaterMark: number): void {
    const now = performance.now();
    this.#used += Math.max(0, this.#left - left);
    this.#left = left;
    this.#remaining = left;
    this.#usage.sample(this.#used, now);
    if (highWaterMark <= this.#highWaterMark) return;
    this.#highWaterMark = highWaterMark;
    this.#forecast.note({ low: highWaterMark, high: highWaterMark }, now);
  }

  /** This process has installed `segment`. */
  refilled({ low, high }: Range): void {
    // Not added: an answer to a take that already counts the segment may have come before.
    this.#remaining = Math.max(this.#remaining, high - low + 1);
  }

  /** Booked ids were collected: the reply does not say how many are left, only that at most `count` are. */
  onCollect(count: number): void {
    this.#remaining = Math.max(0, count);
  }

  /**
   * At most the ids that were left in Redis when it last answered; other processes may have taken some since.
   */
  get remaining(): number {
    return this.#remaining;
  }

  /** Ids per second; 0 while unknown. */
  get idsPerSecond(): number {
    return this.#usage.sample(this.#used, performance.now());
  }

  /** When the last id of the range will be reached; undefined before the second segment. */
  get exhaustedAt(): Date | undefined {
    return this.#forecast.at(performance.now());
  }
}
