/*
 * Every time limit and pause of this package, in milliseconds; docs/operations/time-limits.md shows them
 * beside those of the other packages. `first` is doubled each time, up to `last`.
 */

/**
 * One script call. A turn of the event loop counts as a quarter of it at most. After that the outcome is
 * unknown: ids that the call may have taken are lost, never reused.
 */
export const CALL_TIMEOUT_MS = 1_000;

/** How long replicas have to confirm a call: less than the whole call may take. */
export const CONFIRM_MS = 500;

/**
 * A confirmed call. It may wait in vain twice before: on a node that redirects it, and on one that does not
 * know the script, each of which answers only after WAIT.
 */
export const CONFIRMED_TIMEOUT_MS = CALL_TIMEOUT_MS + 2 * CONFIRM_MS;

/** How long calls of node-redis share a time limit: each has at least three quarters of it. */
export const SHARED_MS = CALL_TIMEOUT_MS / 4;

/** How long calls are left unanswered before the connection counts as frozen. */
export const SILENT_MS = 2 * CALL_TIMEOUT_MS;

/** The first connection, and its first answer. */
export const CONNECT_TIMEOUT_MS = 3_000;

/** Between two looks for booked ids, or for a key that another process refills. */
export const POLL_MS = { first: 1, last: 20 };

/** Between two failed takes. */
export const RETRY_MS = { first: 2, last: 100 };

/** A reservation in the database. Longer than a lease: a late segment is welcome while it is the highest. */
export const RESERVE_TIMEOUT_MS = 30_000;

/** After this time, a reservation without an answer counts as a failure in `health`, though it continues. */
export const OVERDUE_MS = 1_000;

/** Between two failed refills. */
export const BACK_OFF_MS = { first: 20, last: 1_000 };

/** How long whoever reserved first gets to install its segment: several round trips to Redis. */
export const MOVED_PAUSE_MS = 20;

/** After the database failed, no key is refilled ahead for so long. */
export const AHEAD_PAUSE_MS = 1_000;

/** How often a former primary is looked at while it is refused, and how long one look may take. */
export const LOOK_EVERY_MS = 1_000;
export const LOOK_TIMEOUT_MS = 30_000;

/** How long closing waits for refills. */
export const SETTLE_MS = 1_000;
