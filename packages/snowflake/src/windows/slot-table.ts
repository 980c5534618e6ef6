import type { CallOptions, ReignChange } from '@ids/store';
import type { Window } from './held-windows.js';

/** What every answer says. */
export interface Answer {
  /** The database's clock when the statement held its row, in milliseconds since 1970. */
  readonly now: number;
  /**
   * The statement found that the row was restored or its server replaced. Only the first one to look finds
   * it.
   */
  readonly newReign?: ReignChange | undefined;
  /** Names the server and its timeline; undefined if it does not disclose them. */
  readonly reign?: string | undefined;
}

export interface ClaimOptions extends CallOptions {
  /**
   * Takes no doubtful slot: one that was not given back, and either had time until a moment ago, or belongs
   * to another reign. Its holder may still get time for it on another server. By default, such a slot is only
   * the last one to be taken.
   */
  readonly undoubted?: boolean | undefined;
}

/** A slot that nobody else holds. It holds no window yet. */
export interface Claimed extends Answer {
  readonly slot: number;
  /**
   * Whether a copied row, or a standby that lacks claims, would go unnoticed: the row shows no earlier claim
   * and no creation to compare with, or the server does not disclose what to compare them with.
   */
  readonly blank?: boolean | undefined;
}

/** Who holds a slot. */
export interface Holder {
  readonly slot: number;
  /** The label of its process; empty if it was released, and only its time is not over. */
  readonly owner: string;
  /** When it claimed the slot, and until when its time is reserved, by the database's clock. */
  readonly since: Date;
  readonly until: Date;
}

/** All slots are held, or were until a moment ago. */
export interface NoneFree {
  /** The database's clock when they were looked at, in milliseconds since 1970. */
  readonly now: number;
  /** How many there are in all. */
  readonly slots: number;
  readonly holders: readonly Holder[];
}

/**
 * Why no window was granted.
 *
 * - `early`: the wait after the claim is not over.
 * - `ahead`: the window would begin too far ahead of the database's clock.
 * - `lapsed`: the time of the claim or of the last window is over, or the clock was set back to before the
 * claim.
 * - `lost`: the slot belongs to somebody else, or is gone.
 */
export type Refusal = 'early' | 'ahead' | 'lapsed' | 'lost';

export interface Granted extends Answer {
  readonly window: Window;
  /** The end of the last window that the row knew of. */
  readonly stoodAt: number;
}

export interface Refused extends Answer {
  readonly refusal: Refusal;
  /** In how many milliseconds the same may be granted; 0 where time does not help. */
  readonly againMs: number;
}

/**
 * A row for each slot, in a store with a clock of its own. Every method is one atomic step of the protocol,
 * and safe if it is carried out twice, at any later time, or if its answer is lost: a window is granted only
 * to the holder that the row names, and never twice. If the answer to a grant is lost, nobody uses its time.
 */
export interface SlotTable {
  /**
   * Gives a free slot to a claim with this `token`, which was never used before. Servers that follow each
   * other begin with different slots.
   */
  claim(token: string, options?: ClaimOptions): Promise<Claimed | NoneFree>;
  /**
   * Grants the first window after a claim, from `waitMs` after the claim on: `REACH_MS`, or 0 if the caller
   * accepts that the table may have forgotten windows.
   */
  open(slot: number, token: string, waitMs: number, options?: CallOptions): Promise<Granted | Refused>;
  /** Grants the window after the one that ends at `until`, which is the end of what `token` was granted. */
  renew(slot: number, token: string, until: number, options?: CallOptions): Promise<Granted | Refused>;
  /** Gives a slot back. */
  release(slot: number, token: string, options?: CallOptions): Promise<void>;
}
