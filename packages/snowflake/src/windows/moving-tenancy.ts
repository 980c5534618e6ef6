import type { Window } from './held-windows.js';
import { LEAVING_MS, WINDOW_MS } from './lengths.js';
import type { Claimed, Granted, NoneFree, Refused } from './slot-table.js';
import { type Ask, Tenancy, type TenancyOptions, type Tenant } from './tenancy.js';

/**
 * A tenancy that moves when another server takes the place of the one that assigned its slot. That one may
 * still answer, and assign the slot to somebody else when it is not renewed there. So the process claims
 * another slot, among those with which the new server begins, and goes on with its present one meanwhile: for
 * as long as the slot is doubtful on the former server, and no longer.
 */
export class MovingTenancy implements Tenant {
  readonly #options: TenancyOptions;
  #held: Tenancy;
  /** The reign that assigned the slot, and the end of the last window that it granted. */
  #reign: string | undefined;
  #grantedUntil = 0;
  /** The slot that it moves to, and the reign that assigned that one, or is to do so. */
  #sought: Tenancy | undefined;
  #soughtReign: string | undefined;
  /** Whether the new server had no slot that was certainly free. */
  #noneFree = false;

  constructor(options: TenancyOptions) {
    this.#options = options;
    this.#held = new Tenancy(options);
  }

  get next(): Ask {
    const { next } = this.#asking;
    return next.do === 'claim' && this.#asking === this.#sought ? { ...next, undoubted: true } : next;
  }

  /** None while it moves: whether the server that hears it is that of the slot is not known. */
  get toRelease() {
    return this.#sought === undefined ? this.#held.toRelease : undefined;
  }

  claimed(answer: Claimed | NoneFree, askedAt: number): number {
    const asking = this.#asking;
    const reign = 'slot' in answer ? answer.reign : undefined;
    if (asking === this.#held) [this.#reign, this.#grantedUntil] = [reign, 0];
    else if ('slot' in answer) this.#soughtReign = reign;
    else this.#noneFree = true;
    return asking.claimed(answer, askedAt);
  }

  answered(answer: Granted | Refused, askedAt: number): Window | undefined {
    const asking = this.#asking;
    const window = asking.answered(answer, askedAt);
    if (asking === this.#sought) {
      if (window !== undefined) this.#move(asking);
      // Asked on another server, or too late: the next window of its slot may tell it to move again.
      else if (asking.next.do === 'claim') this.#sought = undefined;
    } else if (this.#sought !== undefined && asking.next.do === 'claim') this.#move(this.#sought);
    return window && this.#usable(window, answer.reign);
  }

  unanswered(at: number): void {
    this.#asking.unanswered(at);
  }

  get #asking(): Tenancy {
    const sought = this.#sought;
    return sought !== undefined && sought.next.at < this.#held.next.at ? sought : this.#held;
  }

  /** What may be used of a window of the slot that is held. */
  #usable(window: Window, reign: string | undefined): Window | undefined {
    if (reign === undefined || this.#reign === undefined || reign === this.#reign) {
      this.#grantedUntil = window.until;
      return window;
    }
    if (this.#sought === undefined) {
      this.#sought = new Tenancy(this.#options);
      this.#soughtReign = reign;
      this.#noneFree = false;
    }
    const leavesAt = this.#grantedUntil + LEAVING_MS;
    // The next window would end too late.
    if (window.until + WINDOW_MS > leavesAt) {
      if (this.#noneFree && this.#sought.next.do === 'claim') return this.#stay(window, reign);
      this.#move(this.#sought);
    }
    const until = Math.min(window.until, leavesAt);
    return until > window.from ? { ...window, until } : undefined;
  }

  #move(sought: Tenancy): void {
    this.#held = sought;
    this.#sought = undefined;
    [this.#reign, this.#grantedUntil] = [this.#soughtReign, 0];
  }

  /**
   * It would be of no use to leave the slot for another doubtful one, so it counts as assigned by the new
   * server.
   */
  #stay(window: Window, reign: string): Window {
    this.#sought = undefined;
    [this.#reign, this.#grantedUntil] = [reign, window.until];
    return window;
  }
}
