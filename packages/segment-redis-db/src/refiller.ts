import { IdError } from '@ids/core';
import { pause } from '@ids/core/strategy';
import {
  type AdaptiveStep,
  attemptRefill,
  KnownReigns,
  refillError,
  type Segment,
  type SegmentListener,
  type SegmentSource,
  SequenceMovedError,
  SupersededReignError,
} from '@ids/segment';
import type { Origin, Reigns } from '@ids/store';
import { backOffMs, type Failure } from '@ids/waiting';
import type { DispenserHash, RefillLease, RefillReadiness } from './dispenser-hash.js';
import { lookAtFormerPrimary } from './former-primary.js';
import { BACK_OFF_MS, MOVED_PAUSE_MS, OVERDUE_MS, RESERVE_TIMEOUT_MS, SETTLE_MS } from './time-limits.js';

/**
 * How many reservations in a row give way to one that this hash never saw. After that, the sequence is
 * evidently used without the hash as well.
 */
const MOVED_LIMIT = 3;

/** Refills of one process at a time: a second one if the first has outlasted its lease. */
const MAX_REFILLS = 2;

export interface RefillerOptions {
  readonly name: string;
  readonly source: SegmentSource;
  readonly hash: DispenserHash;
  readonly step: AdaptiveStep;
  readonly minStep: number;
  /** Where the sequence was when it was described: the first reservation expects it there. */
  readonly maxId: number;
  readonly origin: Origin;
  /** As in `SequenceOptions`. */
  readonly refuseFormerPrimaryMs?: number | undefined;
  /** How long a lease lasts, in milliseconds. */
  readonly lockMs: number;
  readonly onEvent: SegmentListener;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/**
 * Fetches a segment for the holder of the refill lease and installs it, in the background.
 *
 * A lease may expire while its reservation still waits for the database, so several processes may be asking
 * at once. Each expects the sequence where it knew it to be. Of all that expect the same, the database makes
 * one reservation; the others give way, and check again whether the hash still needs a segment. So what is
 * reserved but not issued stays bounded, however slow the database is and however many processes ask. A
 * process that dies or stops between the two steps loses its segment.
 */
export class Refiller implements RefillReadiness {
  readonly #options: RefillerOptions;
  readonly #stop = new AbortController();
  readonly #known: KnownReigns;
  #running: Promise<void> | undefined;
  /** How many refills are in progress. */
  #refills = 0;
  /** When the reservations in progress began, by the monotonic clock; the oldest first. */
  readonly #started: number[] = [];
  /** How many segments of this process are reserved but not yet in the hash. */
  #installing = 0;
  #failures = 0;
  /** Reservations in a row that found the sequence elsewhere. */
  #moved = 0;
  #lastSize: number;
  /** The greatest `maxId` at which the sequence was seen. */
  #maxId: number;
  #failure: Failure | undefined;
  /** The greatest high-water mark that Redis returned. */
  #mark = 0;
  /** Whether it looks at a former primary. */
  #looking = false;
  /** The high-water mark when the failed refill got its lease. */
  #markBefore = 0;

  constructor(options: RefillerOptions) {
    this.#options = options;
    this.#lastSize = options.minStep;
    this.#maxId = options.maxId;
    const { name, origin, maxId, refuseFormerPrimaryMs } = options;
    this.#known = new KnownReigns(name, { ...origin, maxId }, refuseFormerPrimaryMs);
  }

  /** The reigns of the database that this process knows. */
  get reigns(): Reigns {
    return this.#known.reigns;
  }

  /** Call it with those that the hash knows, before anything that comes with them becomes a floor. */
  learn(reigns: Reigns): void {
    // If the hash is behind what this process knows, it learns that with the next take or segment.
    this.#known.learn(reigns);
  }

  /** A refill is due when no more ids than this are left: half of the last one. */
  get lowWater(): number {
    return Math.floor(this.#lastSize / 2);
  }

  /** Whether a lease could be used now. */
  get mayRefill(): boolean {
    const youngest = this.#started.at(-1);
    if (youngest === undefined) return this.#refills === 0;
    return this.#started.length < MAX_REFILLS && performance.now() - youngest > this.#options.lockMs;
  }

  /**
   * How the last refill failed, or for how long the source has not answered; undefined once a refill of any
   * process has succeeded.
   */
  get failure(): Failure | undefined {
    const [oldest] = this.#started;
    const overdueMs = oldest === undefined ? 0 : performance.now() - oldest;
    if (overdueMs < OVERDUE_MS) return this.#failure;
    const message = `the segment source has not answered for ${Math.floor(overdueMs / 1_000)} s`;
    return { error: new IdError('ERR_IDS_TIMEOUT', message), at: new Date(Date.now() - overdueMs) };
  }

  /** Resolves, never rejects, when all refills in progress have ended; undefined if there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /**
   * Call it with each high-water mark that Redis returns. If it has risen since a failure, the source works
   * again.
   */
  onHighWaterMark(highWaterMark: number): void {
    if (highWaterMark > this.#markBefore) this.#failure = undefined;
    if (highWaterMark <= this.#mark) return;
    this.#mark = highWaterMark;
    // Whoever uses this hash has heard of that reign, so it came from there.
    this.#known.laterReignSeen();
  }

  /**
   * Starts a refill. If an older one is still running (its lease expired), both continue. Does nothing while
   * a segment of this process is on its way to the hash: it brings the ids that the lease is for, and returns
   * the lease. Resolves, never rejects, at the end of the refill, with whether it gave way to another one,
   * whose segment the hash may never get: then ask the hash again whether it needs one.
   */
  start(lease: RefillLease): Promise<{ readonly gaveWay: boolean }> {
    if (this.#installing > 0) return Promise.resolve({ gaveWay: false });
    this.#refills += 1;
    const refill = this.#refill(lease).finally(() => {
      this.#refills -= 1;
    });
    const running = Promise.all([this.#running, refill]).then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return refill;
  }

  /**
   * Waits for the refills in progress, so that their segments are not lost, then ends them: a source may
   * hang.
   */
  async settle(): Promise<void> {
    if (this.#running !== undefined) {
      const enough = new AbortController();
      await Promise.race([this.#running, pause(SETTLE_MS, { signal: enough.signal })]);
      enough.abort();
    }
    this.#stop.abort(new IdError('ERR_IDS_CLOSED', 'the generator was closed'));
    await this.#running;
  }

  async #refill(lease: RefillLease): Promise<{ readonly gaveWay: boolean }> {
    const { name, hash, step, onEvent, closed } = this.#options;
    const started = performance.now();
    // The same size again after an attempt that failed or gave way: attempts in quick succession are no sign
    // of demand.
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
      return { gaveWay: false };
    } catch (error) {
      if (this.#stop.signal.aborted) return { gaveWay: false };
      const gaveWay = error instanceof SequenceMovedError;
      if (gaveWay) {
        this.#maxId = error.maxId;
        this.#moved += 1;
        await pause(MOVED_PAUSE_MS, { signal: closed });
      } else {
        this.#failure = { error: refillError(name, error), at: new Date() };
        this.#markBefore = lease.floor;
        onEvent({ type: 'refill-failed', name, error: this.#failure.error });
        if (error instanceof SupersededReignError) void this.#look();
        // The lease is kept during the pause, so that other processes do not hammer a source that is down.
        await pause(backOffMs(this.#failures++, BACK_OFF_MS), { signal: closed });
      }
      await hash.release(lease).catch(() => {
        // Redis is not available either: the lease expires by itself.
      });
      return { gaveWay };
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { name, source, onEvent } = this.#options;
    const used = await lookAtFormerPrimary({
      ...{ name, source, onEvent, known: this.#known, signal: this.#stop.signal },
      floor: () => Math.max(this.#mark, this.#maxId),
      isRefused: () => this.#failure?.error instanceof SupersededReignError,
    });
    this.#looking = false;
    if (used) this.#failure = undefined;
  }

  async #install(lease: RefillLease, segment: Segment): ReturnType<DispenserHash['install']> {
    this.#installing += 1;
    try {
      return await this.#options.hash.install(lease, segment, this.#known.reigns);
    } finally {
      this.#installing -= 1;
    }
  }

  async #reserve(lease: RefillLease, started: number): Promise<Segment> {
    const { name, source, onEvent } = this.#options;
    // What moved the sequence has been installed since: another refill was faster, and nothing else uses the
    // sequence.
    if (lease.floor >= this.#maxId) this.#moved = 0;
    const floor = Math.max(lease.floor, this.#maxId);
    const behindFloor = this.#moved < MOVED_LIMIT;
    // A segment that is reserved, and was not in the hash when the lease was granted, brings the ids for its
    // debt. If that segment is lost, later refills bring them, a step at a time.
    const isOnItsWay = behindFloor && lease.floor < this.#maxId;
    const size = isOnItsWay ? this.#lastSize : Math.max(this.#lastSize, lease.debt);
    const limits = { timeoutMs: RESERVE_TIMEOUT_MS, signal: this.#stop.signal };
    this.#started.push(started);
    try {
      // Without `expiresAt`: a sequence with groups is refused when the generator is opened.
      const segment = await attemptRefill(
        { source, name, size, floor, ...limits, onEvent, known: this.#known, behindFloor },
        ({ low, high }) => ({ low, high }),
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
