/** The last second of the format's unsigned 32-bit time, inclusive: 2106-02-07T06:28:15Z. */
export const MAX_SECOND = 0xffff_ffff;

/** The number of values of the 24-bit counter, and thus the most ids per second. */
export const IDS_PER_SECOND = 0x100_0000;

/** The number of ids that differ only in the last three digits and so share a prefix. */
export const BLOCK = 0x1000;

/**
 * How many seconds the time in an id may be ahead of the clock. At least one is needed: the counter starts at
 * a random value, so it first wraps before all values of a second are used, and the ids that follow need a
 * later second.
 */
export const MAX_LEAD_SECONDS = { borrow: 10, throw: 1 } as const;
