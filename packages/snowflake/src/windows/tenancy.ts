import type { Window } from './held-windows.js';
import { AHEAD_MS, CLAIM_AGAIN_MS, LATE_MS, LONGEST_PAUSE_MS, REACH_MS } from './lengths.js';
import type { Claimed, Granted, NoneFree, Refused } from './slot-table.js';

interface Timed {
  /** It is asked when the monotonic clock shows this, or later. */
  readonly at: number;
  readonly token: string;
}

/** What to ask the table. */
export type Ask =
  | (Timed & { readonly do: 'claim'; readonly undoubted?: boolean | undefined })
  | (Timed & { readonly do: 'open'; readonly slot: number; readonly waitMs: number })
  | (Timed & { readonly do: 'renew'; readonly slot: number; readonly until: number });

/** What a process asks its table, one step after the other, and what it makes of the answers. */
export interface Tenant {
  /** What to ask next. */
  readonly next: Ask;
  /** The slot to give back at the end; undefined without one. */
  readonly toRelease: { readonly slot: number; readonly token: string } | undefined;
  /**
   * Takes note of the answer to a claim that was sent when the monotonic clock showed `askedAt`. Returns
   * how long the first window must be waited for.
   */
  claimed(answer: Claimed | NoneFree, askedAt: number): number;
  /** Takes note of the answer about a window. Returns the window to use. */
  answered(answer: Granted | Refused, askedAt: number): Window | undefined;
  /**
   * The answer did not come, whatever became of the statement. The same is asked again at `at`: a claim with
   * another token, because a slot that is claimed with this one may have been lost again.
   */
  unanswered(at: number): void;
}

export interface TenancyOptions {
  /** Makes a token that was never used before. */
  readonly newToken: () => string;
  /** Whether to do without the wait after a claim that found nothing suspicious. */
  readonly atOnce: boolean;
}

/**
 * How a process stands to its slot: nothing, a claim, or windows. It decides what to ask next, and does no
 * I/O.
 */
export class Tenancy implements Tenant {
  readonly #newToken: () => string;
  readonly #atOnce: boolean;
  #next: Ask;
  /** Whether the claim found a change of the reign, or could not have found one. */
  #noticed = false;

  constructor({ newToken, atOnce }: TenancyOptions) {
    this.#newToken = newToken;
    this.#atOnce = atOnce;
    this.#next = this.#claimAt(Number.NEGATIVE_INFINITY);
  }

  get next(): Ask {
    return this.#next;
  }

  /**
   * A claim that noticed a change of the reign, or
   * that was the first of its row, is kept until its wait is over: it left no trace of that, and whoever
   * came next would not wait.
   */
  get toRelease(): { readonly slot: number; readonly token: string } | undefined {
    if (this.#next.do === 'claim' || (this.#next.do === 'open' && this.#noticed)) return undefined;
    return this.#next;
  }

  claimed(answer: Claimed | NoneFree, askedAt: number): number {
    if (!('slot' in answer)) {
      this.#next = this.#claimAt(askedAt + CLAIM_AGAIN_MS);
      return 0;
    }
    const { slot, newReign, blank = false } = answer;
    this.#noticed = blank || newReign !== undefined;
    const waitMs = this.#atOnce && !this.#noticed ? 0 : REACH_MS;
    this.#next = { do: 'open', at: askedAt + waitMs, token: this.#next.token, slot, waitMs };
    return waitMs;
  }

  answered(answer: Granted | Refused, askedAt: number): Window | undefined {
    const { token, slot } = this.#next as Exclude<Ask, { do: 'claim' }>;
    if ('window' in answer) {
      const { until } = answer.window;
      // Not at the first moment at which the next window is granted: `askedAt` was before `now`, so the
      // question would come too early by as long as an answer takes.
      const at = askedAt + (until - AHEAD_MS - answer.now) + LATE_MS;
      this.#next = { do: 'renew', at, token, slot, until };
      return answer.window;
    }
    const { refusal, againMs } = answer;
    const heals = refusal === 'early' || refusal === 'ahead';
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(1, againMs));
    this.#next = heals ? { ...this.#next, at: askedAt + pauseMs } : this.#claimAt(askedAt);
    return undefined;
  }

  unanswered(at: number): void {
    this.#next = this.#next.do === 'claim' ? this.#claimAt(at) : { ...this.#next, at };
  }

  #claimAt(at: number): Ask {
    return { do: 'claim', at, token: this.#newToken() };
  }
}
