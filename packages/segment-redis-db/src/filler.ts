import { setTimeout as sleep } from 'node:timers/promises';
import { IdError } from '@ids/core';
import {
  type AdaptiveStep,
  reserveAbove,
  type Segment,
  type SegmentListener,
  type SegmentSource,
  SequenceMovedError,
  within,
} from '@ids/segment';
import type { DispenserHash, FillLease, FillReadiness } from './dispenser-hash.js';
import { type Failure, failureOf } from './redis-error.js';

/**
 * Milliseconds for one reservation. Longer than a lease lasts: a late segment is still welcome
 * while it is the highest.
 */
const RESERVE_TIMEOUT_MS = 30_000;

/**
 * Milliseconds after which a reservation without an answer counts as a failure in
 * `failure`, though it goes on.
 */
const OVERDUE_MS = 1_000;

/** Milliseconds that closing waits for a fill. */
const SETTLE_MS = 1_000;

/** Milliseconds between attempts while the source fails: doubled each time, jittered. */
const BACKOFF_MS = { first: 20, last: 1_000 };

/** Milliseconds for whoever reserved first to install its segment: several round trips to Redis. */
const MOVED_PAUSE_MS = 20;
/**
 * Reservations in a row that give way to one that this hash never saw: the sequence is
 * used without it as well.
 */
const MOVED_LIMIT = 3;

/** Fills of one process at a time: a second one where the first hangs for longer than its lease lasts. */
const MAX_FILLS = 2;

export interface FillerOptions {
  readonly name: string;
  readonly source: SegmentSource;
  readonly hash: DispenserHash;
  readonly step: AdaptiveStep;
  readonly minStep: number;
  /** Where the sequence was when it was described: the first reservation expects it there. */
  readonly maxId: number;
  /** How long a lease lasts, in milliseconds. */
  readonly lockMs: number;
  readonly onEvent: SegmentListener;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/**
 * Fetches a segment for whoever holds the fill lease and installs it, in the background.
 *
 * A lease may lapse while its reservation still waits for the database, so several processes may be asking
 * at once. Each expects the sequence where it knew it to be: of all that expect the same the database makes
 * one reservation, the others give way, and look again whether the hash still wants a segment. So what is
 * reserved and not given stays bounded, however slow the database is and however many ask. A process that
 * dies or stops between the two steps loses its segment.
 */
export class Filler implements FillReadiness {
  readonly #options: FillerOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /**
   * When the reservations under way began, readings of a monotonic clock in milliseconds; the oldest first.
   */
  readonly #started: number[] = [];
  /** Segments of this process that are reserved, and not yet in the hash. */
  #installing = 0;
  #failures = 0;
  /** Reservations in a row that found the sequence elsewhere. */
  #moved = 0;
  #lastSize: number;
  /** The greatest `maxId` that the sequence was seen at. */
  #maxId: number;
  #failure: Failure | undefined;
  /** The high-water mark when the fill that failed was granted its lease. */
  #markBefore = 0;

  constructor(options: FillerOptions) {
    this.#options = options;
    this.#lastSize = options.minStep;
    this.#maxId = options.maxId;
  }

  /** A fill is due when no more ids than this are left: half of what the last one brought. */
  get lowWater(): number {
    return Math.floor(this.#lastSize / 2);
  }

  /** Whether a lease could be used now. */
  get mayFill(): boolean {
    const youngest = this.#started.at(-1);
    if (youngest === undefined) return this.#running === undefined;
    return this.#started.length < MAX_FILLS && performance.now() - youngest > this.#options.lockMs;
  }

  /**
   * How the last fill failed, or for how long the source has not answered; undefined once
   * anybody's fill succeeded.
   */
  get failure(): Failure | undefined {
    const [oldest] = this.#started;
    const overdueMs = oldest === undefined ? 0 : performance.now() - oldest;
    if (overdueMs < OVERDUE_MS) return this.#failure;
    const message = `the segment source has not answered for ${Math.floor(overdueMs / 1_000)} s`;
    return { error: new IdError('ERR_IDS_TIMEOUT', message), at: new Date(Date.now() - overdueMs) };
  }

  /** Resolves, never rejects, when all fills under way have ended; undefined when there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /**
   * To be called with each high-water mark that is heard of: one that rose since a failure shows
   * that the source gives again.
   */
  heard(highWaterMark: number): void {
    if (highWaterMark > this.#markBefore) this.#failure = undefined;
  }

  /**
   * Starts a fill. Should an older one still run (its lease ran out), both go on. Not while a segment of
   * this process is on its way to the hash: it brings the ids that the lease is for, and takes the lease
   * back.
   */
  start(lease: FillLease): void {
    if (this.#installing > 0) return;
    const running = Promise.all([this.#running, this.#fill(lease)]).then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
  }

  /**
   * Waits for the fills under way, so that their segments are not lost, then ends them: a source may hang.
   */
  async settle(): Promise<void> {
    if (this.#running !== undefined) {
      const enough = new AbortController();
      await Promise.race([this.#running, pause(SETTLE_MS, enough.signal)]);
      enough.abort();
    }
    this.#stop.abort(new IdError('ERR_IDS_CLOSED', 'the generator was closed'));
    await this.#running;
  }

  async #fill(lease: FillLease): Promise<void> {
    const { name, hash, step, onEvent, closed } = this.#options;
    const started = performance.now();
    // After an attempt that failed or gave way the same size again: attempts in quick
    // succession are no sign of demand.
    if (this.#failures === 0 && this.#moved === 0) this.#lastSize = step.next(started);
    try {
      const segment = await this.#reserve(lease, started);
      step.answered(performance.now() - started);
      const verdict = await this.#install(lease, segment);
      if (verdict === 'OK') {
        onEvent({ type: 'refill', name, segment, tookMs: performance.now() - started });
      } else {
        onEvent({ type: 'discard', name, segment, reason: REASONS[verdict] });
      }
      this.#failures = 0;
      this.#moved = 0;
      this.#failure = undefined;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof SequenceMovedError) {
        this.#maxId = error.maxId;
        this.#moved += 1;
        await pause(MOVED_PAUSE_MS, closed);
      } else {
        this.#failure = failureOf(error);
        this.#markBefore = lease.floor;
        onEvent({ type: 'refill-failed', name, error: this.#failure.error });
        // The lease is kept during the pause, so that other processes do not hammer a source that is down.
        const limit = Math.min(BACKOFF_MS.last, BACKOFF_MS.first * 2 ** this.#failures++);
        await pause(limit * (0.5 + Math.random() / 2), closed);
      }
      await hash.release(lease).catch(() => {
        // Redis is away too: the lease runs out by itself.
      });
    }
  }

  async #install(lease: FillLease, segment: Segment): ReturnType<DispenserHash['install']> {
    this.#installing += 1;
    try {
      return await this.#options.hash.install(lease, segment);
    } finally {
      this.#installing -= 1;
    }
  }

  async #reserve(lease: FillLease, started: number): Promise<Segment> {
    const { name, source, onEvent } = this.#options;
    const size = Math.max(this.#lastSize, lease.debt);
    // What moved the sequence was installed meanwhile: another refill was faster, and
    // nothing else uses the sequence.
    if (lease.floor >= this.#maxId) this.#moved = 0;
    const floor = Math.max(lease.floor, this.#maxId);
    const behindFloor = this.#moved < MOVED_LIMIT;
    const late = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `the segment source did not answer within ${RESERVE_TIMEOUT_MS} ms`);
    this.#started.push(started);
    try {
      const segment = await within(RESERVE_TIMEOUT_MS, this.#stop.signal, late, (signal) =>
        reserveAbove(source, name, size, floor, {
          onEvent,
          signal,
          timeoutMs: RESERVE_TIMEOUT_MS,
          behindFloor,
        }),
      );
      this.#maxId = Math.max(this.#maxId, segment.high);
      return segment;
    } finally {
      this.#started.splice(this.#started.indexOf(started), 1);
    }
  }
}

const REASONS = {
  VOID: 'Redis lost or replaced its state while the segment was on its way',
  LOW: 'a higher segment was installed while this one was on its way',
  FULL: 'another process had refilled already',
};

/** Resolves after `ms` milliseconds, or at once when `closed` aborts. */
export async function pause(ms: number, closed: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closed }).catch(() => {
    // Closing cuts the pause short; nothing else can reject it.
  });
}
