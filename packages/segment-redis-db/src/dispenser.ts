import { setTimeout as sleep } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import type { Segment } from '@ids/segment';
import { callersAskedAgain, type Demand, RetryLoop, type Supply } from '@ids/waiting';
import type { Booking, Collected, DispenserHash, Range, RefillLease, Take } from './dispenser-hash.js';
import type { SegmentRedisDbListener } from './events.js';
import { VOID_TEXT } from './events.js';
import type { Failures } from './failures.js';
import type { Outlook, Waits } from './health.js';
import type { Refiller } from './refiller.js';
import { POLL_MS, RETRY_MS } from './time-limits.js';

/** The most ids that one take requests. */
const MAX_TAKE = 100_000;
/** The most ids that all processes together may book ahead of a segment. */
const MAX_DEBT = 1_000_000;

export interface DispenserOptions {
  readonly hash: DispenserHash;
  readonly refiller: Refiller;
  readonly demand: Demand<unknown>;
  readonly waits: Waits;
  readonly failures: Failures;
  readonly outlook: Outlook;
  readonly name: string;
  readonly realm: string;
  readonly onEvent: SegmentRedisDbListener;
  /** Closes what was opened for this dispenser. */
  readonly release: () => Promise<void>;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/**
 * The side of one process in the protocol, for one sequence. All waiting requests share one take, and at most
 * one that requests ids is in flight. So ids come back in the order of the requests, whatever Redis or the
 * connection does; and the higher the load, the fewer calls to Redis per id.
 */
export class Dispenser implements Supply {
  readonly #options: DispenserOptions;
  readonly #loop: RetryLoop;
  /** The greatest id that this process ever got. */
  #last = 0;
  /** The greatest end of a segment that this process ever saw. */
  #top = 0;
  /** Ids that came for callers who had given up, and answered takes. */
  #unwanted = 0;
  #takes = 0;
  /** How often this process found the state in Redis void. */
  #stateLosses = 0;
  /** A final failure of the refiller with which waiting calls must not fail, because they came after it. */
  #judged: IdError | undefined;

  constructor(options: DispenserOptions) {
    this.#options = options;
    const { demand, refiller, closed } = options;
    this.#loop = new RetryLoop({
      // At the end of this turn of the event loop, so that all requests of the turn share the take.
      joined: () => {
        this.#judged = refiller.failure?.error;
        return new Promise<void>(setImmediate);
      },
      needed: () => demand.wanted > 0,
      attempt: async () => {
        await (demand.calls.wanted > 0 ? this.#turn() : this.#warmUp());
        await callersAskedAgain();
      },
      failed: (error) => this.#fail(error),
      pause: RETRY_MS,
      signal: closed,
    });
  }

  /** The counts that only a dispenser knows. */
  get counts(): Readonly<Record<'issued' | 'unwanted' | 'takes' | 'stateLosses', number>> {
    const { issued, lost } = this.#options.demand.calls;
    const unwanted = this.#unwanted + lost;
    return { issued, unwanted, takes: this.#takes, stateLosses: this.#stateLosses };
  }

  /** Requests no ids, which is enough to make Redis ask for a segment. Rejects if Redis cannot be used. */
  async open(): Promise<void> {
    await this.#take(0);
  }

  replenish(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#options.refiller.settle();
    await this.#options.release();
  }

  /** Asks whether a segment is there, for those who only want to know. */
  async #warmUp(): Promise<void> {
    const { left } = await this.#take(0);
    if (left > 0) return;
    this.#assertRefillable(this.#judged);
    await sleep(POLL_MS.last);
  }

  /** One take, and the ids that it booked. */
  async #turn(): Promise<void> {
    const { demand, waits, name, onEvent } = this.#options;
    const { calls } = demand;
    const arrivedBy = calls.arrivals;
    waits.askedAt = performance.now();
    const { ranges, booking, unconfirmed } = await this.#take(Math.min(calls.wanted, MAX_TAKE));
    waits.askedAt = undefined;
    if (unconfirmed !== undefined) throw unconfirmed;
    this.#give(ranges, arrivedBy);
    if (booking !== undefined) waits.bookedAt ??= new Date();
    if (booking === 'full') {
      this.#assertRefillable(this.#judged);
      await sleep(POLL_MS.last);
    } else if (booking !== undefined) {
      onEvent({ type: 'debt', name, ids: booking.owed });
      await this.#collect(booking, arrivedBy);
    }
  }

  async #take(count: number): Promise<Take> {
    const { hash, refiller, demand, waits, failures, outlook, name, realm, onEvent } = this.#options;
    const { lowWater, mayRefill, reigns } = refiller;
    const take = await hash.take({
      count,
      lowWater,
      mayRefill,
      last: this.#last,
      top: this.#top,
      maxDebt: MAX_DEBT,
      realm,
      reigns,
    });
    failures.takes.clear();
    this.#takes += 1;
    outlook.onTake(take.left, take.highWaterMark);
    if (take.left > 0) {
      waits.bookedAt = undefined;
      demand.answered();
    }
    if (take.voided !== undefined) {
      this.#stateLosses += 1;
      onEvent({ type: 'void', name, ...take.voided, message: VOID_TEXT[take.voided.reason] });
    }
    this.#note(take);
    return take;
  }

  /**
   * Waits for booked ids. Returns early if the booking is void, in which case its requests are still the
   * first in the queue, or if nobody waits any more, in which case its ids are lost.
   */
  async #collect(first: Booking, arrivedBy: number): Promise<void> {
    const { hash, refiller, demand, failures, outlook, closed } = this.#options;
    let booking: Booking | undefined = first;
    let wait = POLL_MS.first;
    while (booking !== undefined && demand.calls.wanted > 0 && !closed.aborted) {
      this.#assertRefillable(this.#judged);
      await Promise.race([sleep(wait), refiller.running ?? sleep(wait)]);
      wait = Math.min(wait * 2, POLL_MS.last);
      const collected: Collected | undefined = await hash
        .collect(booking, refiller)
        .catch((error) => this.#tolerate(error));
      if (collected === undefined) continue;
      failures.takes.clear();
      if (collected.verdict !== 'OK') return;
      this.#note(collected);
      if (collected.unconfirmed !== undefined) {
        this.#tolerate(collected.unconfirmed);
        continue;
      }
      this.#give(collected.ranges, arrivedBy);
      // The script does not say how many ids are left: at most those between the ids that it returned and the
      // end of the last segment.
      if (collected.ranges.length > 0) outlook.onCollect(collected.highWaterMark - this.#last);
      booking = collected.booking;
    }
  }

  /** Collecting changes nothing, so a failed one is simply repeated, unless that cannot help. */
  #tolerate(error: unknown): undefined {
    if (!isIdError(error) || !error.retryable) throw error;
    this.#options.failures.takes.record(error);
  }

  /**
   * Throws if the source will never return the segment that calls wait for. The failure `judged`, from before
   * they came, says nothing about that: the source may work again, which the next refill, within a second,
   * will show.
   */
  #assertRefillable(judged: IdError | undefined): void {
    const error = this.#options.refiller.failure?.error;
    if (error !== undefined && !error.retryable && error !== judged) throw error;
  }

  #note({ highWaterMark, reigns, lease }: Pick<Take, 'highWaterMark' | 'reigns' | 'lease'>): void {
    const { refiller } = this.#options;
    refiller.learn(reigns);
    this.#top = Math.max(this.#top, highWaterMark);
    refiller.onHighWaterMark(highWaterMark);
    if (lease !== undefined) void this.#refill(lease);
  }

  /** A refill that gave way asks again, even if no call comes: nobody else may, and the ids would run out. */
  async #refill(lease: RefillLease): Promise<void> {
    const { refiller, demand, closed } = this.#options;
    const { gaveWay } = await refiller.start(lease);
    if (!gaveWay || demand.wanted > 0 || closed.aborted) return;
    await this.#take(0).catch(() => {
      // The next call asks, and reports it.
    });
  }

  #give(ranges: readonly Range[], arrivedBy: number): void {
    if (ranges.length > 0) this.#options.waits.served();
    for (const { low, count } of ranges) {
      const high = low + count - 1;
      // The hash never returns ids that this process already had. If somebody tampered with it, a gap is
      // better than a duplicate.
      if (low <= this.#last) {
        this.#reject({ low, high });
        continue;
      }
      this.#last = high;
      this.#options.failures.tampered.clear();
      this.#top = Math.max(this.#top, this.#last);
      const given = this.#options.demand.calls.give(low, this.#last, arrivedBy);
      this.#unwanted += count - given;
    }
  }

  #reject(segment: Segment): void {
    const { name, onEvent, failures } = this.#options;
    onEvent({ type: 'regression', name, floor: this.#last, segment });
    onEvent({ type: 'discard', name, segment, reason: 'this process already had these ids, or higher ones' });
    const what = `Redis returned ${segment.low}..${segment.high}, but this process had ids up to ${this.#last}`;
    const message = `sequence "${name}": ${what}: somebody changed the hash. They are not used`;
    failures.tampered.record(new IdError('ERR_IDS_REGRESSED', message));
  }

  #fail(cause: unknown): void {
    const { refiller, demand, failures } = this.#options;
    const error = isIdError(cause) ? cause : new IdError('ERR_IDS_UNAVAILABLE', String(cause), { cause });
    // The refiller's own failure is over when the refiller says so. For calls that come later, a later refill
    // decides.
    if (error === refiller.failure?.error) this.#judged = error;
    else failures.takes.record(error);
    if (!error.retryable) demand.refuse(error);
  }
}
