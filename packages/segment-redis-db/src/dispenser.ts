import { setTimeout as sleep } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import type { RefillFailure, RequestQueue, Segment } from '@ids/segment';
import type { Booking, Claim, DispenserHash, FillLease, Range, Take } from './dispenser-hash.js';
import type { RedisSegmentListener } from './events.js';
import { type Filler, pause } from './filler.js';
import { Outlook, type Waits } from './health.js';

/** The most ids one take asks for. */
const MAX_TAKE = 100_000;
/** The most ids booked ahead of a segment, all processes together. */
const MAX_DEBT = 1_000_000;
/**
 * Milliseconds between two looks at a booking, and between two takes that failed: from
 * .. to, doubled each time.
 */
const POLL_MS = { first: 1, last: 20 };
const RETRY_MS = { first: 2, last: 100 };

export interface DispenserOptions<T> {
  readonly hash: DispenserHash;
  readonly filler: Filler;
  readonly queue: RequestQueue<T>;
  readonly waits: Waits;
  readonly name: string;
  readonly realm: string;
  /** How long `ready` waits, in milliseconds. */
  readonly deadlineMs: number;
  /** The error for a wait that took too long. */
  readonly late: () => IdError;
  readonly onEvent: RedisSegmentListener;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/**
 * One process's side of the protocol, for one sequence. All waiting requests share one take, and no more than
 * one is in flight: so ids come back in the order in which they were asked for, whatever Redis or the
 * connection does, and calls to Redis fall as load rises.
 */
export class Dispenser<T> {
  readonly #options: DispenserOptions<T>;
  /** The greatest id this process ever got. */
  #last = 0;
  /** The greatest bound of a segment this process ever heard of. */
  #top = 0;
  #left = 0;
  /** Ids given to callers, ids that came for callers who had given up, and takes that were answered. */
  #issued = 0;
  #unwanted = 0;
  #takes = 0;
  readonly #outlook = new Outlook();
  #failure: RefillFailure | undefined;
  /** A final failure of the filler that waiting calls must not fail with: they came after it. */
  #judged: IdError | undefined;
  #pumping = false;

  constructor(options: DispenserOptions<T>) {
    this.#options = options;
  }

  /**
   * At most the ids left in Redis when it last answered, of which other processes may have taken some since;
   * 0 while it does not answer.
   */
  get left(): number {
    return this.#failure === undefined ? this.#left : 0;
  }

  /** The last failure of Redis or of the source, or that calls get no ids; undefined once all is well. */
  get failure(): RefillFailure | undefined {
    return this.#failure ?? this.#options.filler.failure ?? this.#starved();
  }

  /** What only a dispenser can count. */
  get counts(): { readonly issued: number; readonly unwanted: number; readonly takes: number } {
    return { issued: this.#issued, unwanted: this.#unwanted, takes: this.#takes };
  }

  /** How long ids last. */
  get outlook(): Pick<Outlook, 'idsPerSecond' | 'exhaustedAt'> {
    return this.#outlook;
  }

  /** To be called when this process has installed `segment`. */
  refilled({ low, high }: Segment): void {
    // Not added: the answer to a take that counted the segment may have come before.
    this.#left = Math.max(this.#left, high - low + 1);
    this.#options.waits.segmentCame();
  }

  request(count: number, signal: AbortSignal | undefined): Promise<T[]> {
    this.#startPump();
    return this.#options.queue.enqueue(count, signal);
  }

  requestOne(signal: AbortSignal | undefined): Promise<T> {
    this.#startPump();
    return this.#options.queue.enqueueOne(signal);
  }

  /**
   * Asks for no ids, which is enough to have the first segment fetched. Resolves with whether one is there.
   */
  async warmUp(): Promise<boolean> {
    const { left } = await this.#take(0);
    return left > 0;
  }

  /**
   * Resolves when a segment is there; rejects when none comes in time, or never can.
   * Ends quietly when `stopped`.
   */
  async ready(stopped: AbortSignal): Promise<void> {
    const { deadlineMs, late } = this.#options;
    const end = performance.now() + deadlineMs;
    const judged = this.#options.filler.failure?.error;
    while (!stopped.aborted) {
      const filled = await this.warmUp().catch((error) => this.#tolerate(error));
      if (filled) return;
      this.#assertRefillable(judged);
      if (performance.now() > end) throw late();
      await sleep(POLL_MS.last);
    }
  }

  #starved(): RefillFailure | undefined {
    const { queue, waits } = this.#options;
    const ms = queue.starvedMs;
    return ms === undefined ? undefined : { error: waits.reason, at: new Date(Date.now() - ms) };
  }

  #startPump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#judged = this.#options.filler.failure?.error;
    // At the end of this turn of the event loop, so that all requests that came in with it share the take.
    setImmediate(() => void this.#pump());
  }

  async #pump(): Promise<void> {
    const { queue, closed } = this.#options;
    let failures = 0;
    while (queue.wanted > 0 && !closed.aborted) {
      try {
        await this.#turn();
        failures = 0;
        // Who was served may ask again at once: that is over when the queue of microtasks is empty.
        await new Promise<void>(process.nextTick);
      } catch (error) {
        await this.#fail(error, failures++);
      }
    }
    this.#pumping = false;
  }

  /** One take, and what it booked. */
  async #turn(): Promise<void> {
    const { queue, waits, name, onEvent } = this.#options;
    const arrivedBy = queue.arrivals;
    waits.asked();
    const { ranges, booking, unconfirmed } = await this.#take(Math.min(queue.wanted, MAX_TAKE));
    waits.answered();
    if (unconfirmed !== undefined) throw unconfirmed;
    this.#give(ranges, arrivedBy);
    if (booking !== undefined) waits.booked();
    if (booking === 'full') {
      this.#assertRefillable(this.#judged);
      await sleep(POLL_MS.last);
    } else if (booking !== undefined) {
      onEvent({ type: 'debt', name, ids: booking.owed });
      await this.#collect(booking, arrivedBy);
    }
  }

  async #take(count: number): Promise<Take> {
    const { hash, filler, waits, name, realm, onEvent } = this.#options;
    const { lowWater, mayFill } = filler;
    const take = await hash.take({
      count,
      lowWater,
      mayFill,
      last: this.#last,
      top: this.#top,
      maxDebt: MAX_DEBT,
      realm,
    });
    this.#failure = undefined;
    this.#left = take.left;
    this.#takes += 1;
    this.#outlook.heard(take.left, take.highWaterMark);
    if (take.left > 0) waits.segmentCame();
    if (take.voided !== undefined) onEvent({ type: 'void', name, ...take.voided });
    this.#note(take.highWaterMark, take.lease);
    return take;
  }

  /**
   * Waits for booked ids. Returns early when the booking is void, its requests being still the first in the
   * queue, and when nobody waits any more: its ids are lost then.
   */
  async #collect(first: Booking, arrivedBy: number): Promise<void> {
    const { hash, filler, queue, closed } = this.#options;
    let booking: Booking | undefined = first;
    let wait = POLL_MS.first;
    while (booking !== undefined && queue.wanted > 0 && !closed.aborted) {
      this.#assertRefillable(this.#judged);
      await Promise.race([sleep(wait), filler.running ?? sleep(wait)]);
      wait = Math.min(wait * 2, POLL_MS.last);
      const claim: Claim | undefined = await hash
        .claim(booking, filler)
        .catch((error) => this.#tolerate(error));
      if (claim === undefined) continue;
      this.#failure = undefined;
      if (claim.verdict !== 'OK') return;
      this.#note(claim.highWaterMark, claim.lease);
      if (claim.unconfirmed !== undefined) {
        this.#tolerate(claim.unconfirmed);
        continue;
      }
      this.#give(claim.ranges, arrivedBy);
      // A claim does not say what is left: at most what lies between the ids that it gave and the
      // end of the last segment.
      if (claim.ranges.length > 0) this.#left = Math.max(0, claim.highWaterMark - this.#last);
      booking = claim.booking;
    }
  }

  /** A claim changes nothing, so one that failed is simply made again, unless no repetition can help. */
  #tolerate(error: unknown): undefined {
    if (!isIdError(error) || !error.retryable) throw error;
    this.#failure = { error, at: new Date() };
  }

  /**
   * Throws when the source will never give the segment that calls wait for. The failure `judged`,
   * from before they came, says nothing about that: the source may be well again, and the next fill,
   * within a second, says so.
   */
  #assertRefillable(judged: IdError | undefined): void {
    const error = this.#options.filler.failure?.error;
    if (error !== undefined && !error.retryable && error !== judged) throw error;
  }

  #note(highWaterMark: number, lease: FillLease | undefined): void {
    this.#top = Math.max(this.#top, highWaterMark);
    this.#options.filler.heard(highWaterMark);
    if (lease !== undefined) this.#options.filler.start(lease);
  }

  #give(ranges: readonly Range[], arrivedBy: number): void {
    if (ranges.length > 0) this.#options.waits.idsCame();
    for (const { low, count } of ranges) {
      // The hash never gives what this process had before; if its memory was tampered with,
      // better a gap than a repeat.
      if (low <= this.#last) continue;
      this.#last = low + count - 1;
      this.#top = Math.max(this.#top, this.#last);
      const given = this.#options.queue.give(low, this.#last, arrivedBy);
      this.#issued += given;
      this.#unwanted += count - given;
    }
  }

  async #fail(error: unknown, failures: number): Promise<void> {
    const { filler, queue, closed } = this.#options;
    const failure = failureOf(error);
    // The filler's own failure is over when the filler says so. Calls that come later
    // are judged by a later fill.
    if (failure.error === filler.failure?.error) this.#judged = failure.error;
    else this.#failure = failure;
    if (!failure.error.retryable) queue.fail(failure.error);
    else await pause(Math.min(RETRY_MS.last, RETRY_MS.first * 2 ** failures), closed);
  }
}

function failureOf(error: unknown): RefillFailure {
  const at = new Date();
  if (isIdError(error)) return { error, at };
  return { error: new IdError('ERR_IDS_UNAVAILABLE', String(error), { cause: error }), at };
}
