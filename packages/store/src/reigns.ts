import type { Row } from './executor.js';

/**
 * The reigns in which a row was written, by their names: the present one first. A name is never used again,
 * and a row keeps as many as fit, so two rows of one sequence on two servers show which of them came later.
 *
 * A name may say more, where a store numbers its reigns: `system.timeline-` and random characters. Of two
 * timelines of one system, the greater one is later. Timelines have a fixed number of hexadecimal digits.
 * With `!` in place of the hyphen, an operator has accepted the reign, whatever its timeline.
 */
export type Reigns = readonly string[];

/** Where an answer comes from. A source that does not know leaves it out, and nothing is compared. */
export interface Origin {
  /** Identifies the row, as opposed to one of the same name elsewhere or after a re-creation. */
  readonly realm?: string | undefined;
  readonly reigns?: Reigns | undefined;
}

/** Where a row comes from; without names of reigns if the table or the role has none. */
export function readOrigin({ realm, reigns }: Row): Origin {
  return {
    realm: String(realm),
    ...(typeof reigns === 'string' && { reigns: reigns.split(',') }),
  };
}

/** The names of the reigns as a row stores them; null stands for any. */
export function reignsText(reigns: Reigns | undefined): string | null {
  return reigns === undefined ? null : reigns.join(',');
}

/** Whether a row is of the realm and of exactly the reigns that are expected, as far as they are. */
export function isWithin(found: Origin, { realm, reigns }: Origin = {}): boolean {
  return (
    (realm === undefined || realm === found.realm) &&
    (reigns === undefined || reignsText(reigns) === reignsText(found.reigns))
  );
}
