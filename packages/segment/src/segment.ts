/** A closed range of ids, `low` to `high` inclusive. A dispenser hands out currId = low .. maxId = high. */
export interface Segment {
  readonly low: number;
  readonly high: number;
}

/** The last id there is: 2^53 - 1, the greatest integer that JavaScript and Lua both hold exactly. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;
