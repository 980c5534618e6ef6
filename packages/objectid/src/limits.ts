/** The last second of the format's unsigned 32 bits, inclusive: 2106-02-07T06:28:15Z. */
export const MAX_SECOND = 0xffff_ffff;

/** Values of the 24-bit counter, and so the ids that one second has room for. */
export const IDS_PER_SECOND = 0x100_0000;

/** Ids that differ in the last three digits only: they share one prefix. */
export const BLOCK = 0x1000;

/**
 * How many seconds the time in an id may lie ahead of the clock. One is needed in any case: the counter
 * starts at a random value, so its first wrap comes before a whole second's room is used, and only a
 * later second lies above it.
 */
export const MAX_LEAD_SECONDS = { borrow: 10, throw: 1 } as const;
