import type { Claimed, Granted, NoneFree, Refused } from './slot-table.js';
import { AHEAD_MS, REACH_MS } from './windows.js';

/** What to ask the table, and not before the monotonic clock shows `at`. */
export type Step =
  | { readonly do: 'claim'; readonly at: number; readonly owner: string }
  | {
      readonly do: 'open';
      readonly at: number;
      readonly owner: string;
      readonly slot: number;
      readonly waitMs: number;
    }
  | {
      readonly do: 'renew';
      readonly at: number;
      readonly owner: string;
      readonly slot: number;
      readonly until: number;
    };

export interface TenancyOptions {
  /** Makes a token that was never used before. */
  readonly newOwner: () => string;
  /** Whether to do without the wait after a claim that found nothing suspicious. */
  readonly atOnce: boolean;
}

/** A refusal that time heals is looked at again after this long at the latest: clocks are set right, too. */
const LONGEST_PAUSE_MS = 1_000;
/** How much later than possible a window is renewed, in milliseconds: more than an answer usually takes. */
const LATE_MS = 50;
/** After all slots were found to be held, in milliseconds. */
const CLAIM_AGAIN_MS = 250;

/**
 * How a process stands to its slot: nothing, a claim, or windows. It decides what to ask next, and does no
 * I/O.
 */
export class Tenancy {
  readonly #newOwner: () => string;
  readonly #atOnce: boolean;
  #step: Step;
  /** Whether the claim found a change of the reign, or could not have found one. */
  #noticed = false;

  constructor({ newOwner, atOnce }: TenancyOptions) {
    this.#newOwner = newOwner;
    this.#atOnce = atOnce;
    this.#step = this.#claimAt(Number.NEGATIVE_INFINITY);
  }

  /** What to ask next. */
  get step(): Step {
    return this.#step;
  }

  /**
   * The slot to give back at the end; undefined without one. A claim that noticed a change of the reign, or
   * that was the first of its row, is kept until its wait is over: it left no trace of that, and whoever
   * came next would not wait.
   */
  get toRelease(): { readonly slot: number; readonly owner: string } | undefined {
    if (this.#step.do === 'claim' || (this.#step.do === 'open' && this.#noticed)) return undefined;
    return this.#step;
  }

  /**
   * Takes note of the answer to a claim that was sent when the monotonic clock showed `askedAt`. Returns
   * how long the first window must be waited for.
   */
  claimed(answer: Claimed | NoneFree, askedAt: number): number {
    if (!('slot' in answer)) {
      this.#step = this.#claimAt(askedAt + CLAIM_AGAIN_MS);
      return 0;
    }
    const { slot, newReign, blank = false } = answer;
    this.#noticed = blank || newReign !== undefined;
    const waitMs = this.#atOnce && !this.#noticed ? 0 : REACH_MS;
    this.#step = { do: 'open', at: askedAt + waitMs, owner: this.#step.owner, slot, waitMs };
    return waitMs;
  }

  /** Takes note of the answer about a window. */
  answered(answer: Granted | Refused, askedAt: number): void {
    const { owner, slot } = this.#step as Exclude<Step, { do: 'claim' }>;
    if ('window' in answer) {
      const { until } = answer.window;
      // Not at the first moment at which the next window is granted: `askedAt` was before `now`, so the
      // question would come too early by as long as an answer takes.
      const at = askedAt + (until - AHEAD_MS - answer.now) + LATE_MS;
      this.#step = { do: 'renew', at, owner, slot, until };
      return;
    }
    const { refusal, againMs } = answer;
    const heals = refusal === 'early' || refusal === 'ahead';
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(1, againMs));
    this.#step = heals ? { ...this.#step, at: askedAt + pauseMs } : this.#claimAt(askedAt);
  }

  /**
   * The answer did not come, whatever became of the statement. The same is asked again at `at`: a claim with
   * another token, because a slot that is claimed with this one may have been lost again.
   */
  unanswered(at: number): void {
    this.#step = this.#step.do === 'claim' ? this.#claimAt(at) : { ...this.#step, at };
  }

  #claimAt(at: number): Step {
    return { do: 'claim', at, owner: this.#newOwner() };
  }
}
