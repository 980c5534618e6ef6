import { IdError } from '@ids/core';
import {
  type AdaptiveStep,
  reserveAbove,
  type SegmentListener,
  type SegmentSource,
  within,
} from '@ids/segment';
import type { DispenserHash, FillTicket } from './dispenser-hash.js';
import { type Failure, failureOf } from './failure.js';
import { pause } from './pause.js';

/** Milliseconds for one reservation. Longer than a ticket lasts: a late segment is still welcome while it is the highest. */
const RESERVE_TIMEOUT_MS = 30_000;

/** Milliseconds that closing waits for a fill. */
const SETTLE_MS = 1_000;

/** Milliseconds between attempts while the source fails: doubled each time, jittered. */
const BACKOFF_MS = { first: 20, last: 1_000 };

export interface FillerOptions {
  readonly name: string;
  readonly source: SegmentSource;
  readonly hash: DispenserHash;
  readonly step: AdaptiveStep;
  readonly minStep: number;
  readonly onEvent: SegmentListener;
  /** Aborts when the generator is closed. */
  readonly closed: AbortSignal;
}

/** Fetches a segment for whoever holds the fill ticket and installs it, in the background. */
export class Filler {
  readonly #options: FillerOptions;
  #running: Promise<void> | undefined;
  #failures = 0;
  #lastSize: number;
  #failure: Failure | undefined;

  constructor(options: FillerOptions) {
    this.#options = options;
    this.#lastSize = options.minStep;
  }

  /** A fill is due when no more ids than this are left: half of what the last one brought. */
  get lowWater(): number {
    return Math.floor(this.#lastSize / 2);
  }

  /** How the last fill failed; undefined once one succeeded. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Resolves, never rejects, when all fills under way have ended; undefined when there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Starts a fill. Should an older one still run (its ticket ran out), both go on: the hash takes the higher segment. */
  start(ticket: FillTicket): void {
    const running = Promise.all([this.#running, this.#fill(ticket)]).then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
  }

  /** Waits for the fills under way, so that their segments are not lost, but not long: a source may hang. */
  async settle(): Promise<void> {
    if (this.#running === undefined) return;
    const enough = new AbortController();
    await Promise.race([this.#running, pause(SETTLE_MS, enough.signal)]);
    enough.abort();
  }

  async #fill(ticket: FillTicket): Promise<void> {
    try {
      await this.#reserveAndInstall(ticket);
      this.#failures = 0;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = failureOf(error);
      this.#options.onEvent({ type: 'refill-failed', name: this.#options.name, error: this.#failure.error });
      // The ticket is kept during the pause, so that the others do not besiege a source that is down.
      const limit = Math.min(BACKOFF_MS.last, BACKOFF_MS.first * 2 ** this.#failures++);
      await pause(limit * (0.5 + Math.random() / 2), this.#options.closed);
      await this.#options.hash.release(ticket).catch(() => {
        // Redis is away too: the ticket runs out by itself.
      });
    }
  }

  async #reserveAndInstall(ticket: FillTicket): Promise<void> {
    const { name, source, hash, step, onEvent } = this.#options;
    const started = performance.now();
    // After a failure the same size again: failed attempts in quick succession are no sign of demand.
    if (this.#failures === 0) this.#lastSize = step.next(started);
    const size = Math.max(this.#lastSize, ticket.debt);
    const late = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `the segment source did not answer within ${RESERVE_TIMEOUT_MS} ms`);
    const segment = await within(RESERVE_TIMEOUT_MS, undefined, late, (signal) =>
      reserveAbove(source, name, size, ticket.floor, { onEvent, signal }),
    );
    step.answered(performance.now() - started);
    const verdict = await hash.install(ticket, segment);
    if (verdict === 'OK') {
      onEvent({ type: 'refill', name, segment, tookMs: performance.now() - started });
    } else {
      onEvent({ type: 'discard', name, segment, reason: REASONS[verdict] });
    }
  }
}

const REASONS = {
  VOID: 'Redis lost or replaced its state while the segment was on its way',
  LOW: 'a higher segment was installed while this one was on its way',
  FULL: 'another process had refilled already',
};
