import { setTimeout as sleep } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import { type RefillFailure, type RequestQueue, type Segment, starvedFailure } from '@ids/segment';
import type { Connection } from './connection.js';
import type { Booking, Claim, DispenserHash, Range, Take } from './dispenser-hash.js';
import type { RedisSegmentListener } from './events.js';
import { type Filler, pause } from './filler.js';
import { Outlook, type Waits } from './health.js';

/** The most ids that one take requests. */
const MAX_TAKE = 100_000;
/** The most ids that all processes together may book ahead of a segment. */
const MAX_DEBT = 1_000_000;
/**
 * The pause, in milliseconds, between two claims of a booking and between two failed takes; doubled each
 * time.
 */
const POLL_MS = { first: 1, last: 20 };
const RETRY_MS = { first: 2, last: 100 };

export interface DispenserOptions<T> {
  readonly hash: DispenserHash;
  readonly connection: Connection;
  readonly filler: Filler;
  readonly queue: RequestQueue<T>;
  readonly waits: Waits;
  readonly name: string;
  readonly realm: string;
  /** How long `ready` waits, in milliseconds. */
  readonly deadlineMs: number;
  /** The error for a call that waited too long. */
  readonly late: () => IdError;
  readonly onEvent: RedisSegmentListener;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/**
 * The side of one process in the protocol, for one sequence. All waiting requests share one take, and at most
 * one is in flight. So ids come back in the order of the requests, whatever Redis or the connection does; and
 * the higher the load, the fewer calls to Redis per id.
 */
export class Dispenser<T> {
  readonly #options: DispenserOptions<T>;
  /** The greatest id that this process ever got. */
  #last = 0;
  /** The greatest end of a segment that this process ever saw. */
  #top = 0;
  #left = 0;
  /** Ids that came for callers who had given up, and answered takes. */
  #unwanted = 0;
  #takes = 0;
  readonly #outlook = new Outlook();
  #failure: RefillFailure | undefined;
  /** That the hash returned ids again; until it returns higher ones. */
  #tampered: RefillFailure | undefined;
  /** A final failure of the filler with which waiting calls must not fail, because they came after it. */
  #judged: IdError | undefined;
  #pumping = false;

  constructor(options: DispenserOptions<T>) {
    this.#options = options;
  }

  /**
   * At most the ids that were left in Redis when it last answered; other processes may have taken some since.
   * 0 while Redis does not answer or is not connected.
   */
  get left(): number {
    return (this.#failure ?? this.#options.connection.failure) === undefined ? this.#left : 0;
  }

  /** The last failure of Redis or of the source, or that calls get no ids; undefined if all is well. */
  get failure(): RefillFailure | undefined {
    const { connection, filler, queue, waits } = this.#options;
    const failure = this.#failure ?? connection.failure ?? filler.failure ?? this.#tampered;
    return failure ?? starvedFailure(queue.starvedMs, () => waits.reason);
  }

  /** The counts that only a dispenser knows. */
  get counts(): { readonly issued: number; readonly unwanted: number; readonly takes: number } {
    const { issued, lost } = this.#options.queue;
    return { issued, unwanted: this.#unwanted + lost, takes: this.#takes };
  }

  /** How long ids will last. */
  get outlook(): Pick<Outlook, 'idsPerSecond' | 'exhaustedAt'> {
    return this.#outlook;
  }

  /** Call it when this process has installed `segment`. */
  refilled({ low, high }: Segment): void {
    // Not added: an answer to a take that already counts the segment may have come before.
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

  /** Requests no ids, which is enough to make Redis ask for a segment. Resolves with whether one is there. */
  async warmUp(): Promise<boolean> {
    const { left } = await this.#take(0);
    if (left === 0) return false;
    this.#options.queue.relieve();
    return true;
  }

  /**
   * Resolves when a segment is there; rejects if none comes in time, or none can come. Resolves when
   * `stopped`.
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

  #startPump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#judged = this.#options.filler.failure?.error;
    // At the end of this turn of the event loop, so that all requests of the turn share the take.
    setImmediate(() => void this.#pump());
  }

  async #pump(): Promise<void> {
    const { queue, closed } = this.#options;
    let failures = 0;
    while (queue.wanted > 0 && !closed.aborted) {
      try {
        await this.#turn();
        failures = 0;
        // Callers that were served may ask again at once: they have done so when the microtask queue is
        // empty.
        await new Promise<void>(process.nextTick);
      } catch (error) {
        await this.#fail(error, failures++);
      }
    }
    this.#pumping = false;
  }

  /** One take, and the ids that it booked. */
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
    const { lowWater, mayFill, reigns } = filler;
    const take = await hash.take({
      count,
      lowWater,
      mayFill,
      last: this.#last,
      top: this.#top,
      maxDebt: MAX_DEBT,
      realm,
      reigns,
    });
    this.#failure = undefined;
    this.#left = take.left;
    this.#takes += 1;
    this.#outlook.heard(take.left, take.highWaterMark);
    if (take.left > 0) waits.segmentCame();
    if (take.voided !== undefined) onEvent({ type: 'void', name, ...take.voided });
    this.#note(take);
    return take;
  }

  /**
   * Waits for booked ids. Returns early if the booking is void, in which case its requests are still the
   * first in the queue, or if nobody waits any more, in which case its ids are lost.
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
      this.#note(claim);
      if (claim.unconfirmed !== undefined) {
        this.#tolerate(claim.unconfirmed);
        continue;
      }
      this.#give(claim.ranges, arrivedBy);
      // A claim does not say how many ids are left: at most those between the ids that it returned and the
      // end of the last segment.
      if (claim.ranges.length > 0) this.#left = Math.max(0, claim.highWaterMark - this.#last);
      booking = claim.booking;
    }
  }

  /** A claim changes nothing, so a failed one is simply repeated, unless that cannot help. */
  #tolerate(error: unknown): undefined {
    if (!isIdError(error) || !error.retryable) throw error;
    this.#failure = { error, at: new Date() };
  }

  /**
   * Throws if the source will never return the segment that calls wait for. The failure `judged`, from before
   * they came, says nothing about that: the source may work again, which the next fill, within a second, will
   * show.
   */
  #assertRefillable(judged: IdError | undefined): void {
    const error = this.#options.filler.failure?.error;
    if (error !== undefined && !error.retryable && error !== judged) throw error;
  }

  #note({ highWaterMark, reigns, lease }: Pick<Take, 'highWaterMark' | 'reigns' | 'lease'>): void {
    const { filler } = this.#options;
    filler.learn(reigns);
    this.#top = Math.max(this.#top, highWaterMark);
    filler.heard(highWaterMark);
    if (lease !== undefined) filler.start(lease);
  }

  #give(ranges: readonly Range[], arrivedBy: number): void {
    if (ranges.length > 0) this.#options.waits.idsCame();
    for (const { low, count } of ranges) {
      const high = low + count - 1;
      // The hash never returns ids that this process already had. If somebody tampered with it, a gap is
      // better than a duplicate.
      if (low <= this.#last) {
        this.#reject({ low, high });
        continue;
      }
      this.#last = high;
      this.#tampered = undefined;
      this.#top = Math.max(this.#top, this.#last);
      const given = this.#options.queue.give(low, this.#last, arrivedBy);
      this.#unwanted += count - given;
    }
  }

  #reject(segment: Segment): void {
    const { name, onEvent } = this.#options;
    onEvent({ type: 'regression', name, floor: this.#last, segment });
    onEvent({ type: 'discard', name, segment, reason: 'this process already had these ids, or higher ones' });
    const what = `Redis returned ${segment.low}..${segment.high}, but this process had ids up to ${this.#last}`;
    const message = `sequence "${name}": ${what}: somebody changed the hash. They are not used`;
    this.#tampered = failureOf(new IdError('ERR_IDS_REGRESSED', message));
  }

  async #fail(error: unknown, failures: number): Promise<void> {
    const { filler, queue, closed } = this.#options;
    const failure = failureOf(error);
    // The filler's own failure is over when the filler says so. For calls that come later, a later fill
    // decides.
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
