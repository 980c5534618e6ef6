/*
 * The lengths of the protocol, in milliseconds. They are constants because all processes of a table
 * must agree on them: the wait before a first window covers the windows of everybody else.
 */

/** How much time one grant reserves. */
export const WINDOW_MS = 2_000;

/**
 * How long a step waits for an answer after the process stood still: its connections may be gone without a
 * word, and with the wait of a claim, a whole window would be more than calls have time.
 */
export const AWAKENED_MS = WINDOW_MS / 4;

/** How far ahead of the database's clock a window may begin. */
export const AHEAD_MS = 1_000;

/**
 * No window ends later than this after it was granted. So whoever claims a slot of a table that forgot some
 * windows, and waits this long, begins above all of them.
 */
export const REACH_MS = AHEAD_MS + WINDOW_MS;

/** From when on a claim without a window is over, in milliseconds after it was made. */
export const CLAIM_ENDS_MS = REACH_MS + WINDOW_MS;

/**
 * For how long a slot is doubtful that nobody gave back, after its time: its holder may have gone to a server
 * that has followed this one, which grants it time up to here, and no further.
 */
export const LEAVING_MS = 2 * WINDOW_MS;

/*
 * The pauses of one process, which nobody else needs to know.
 */

/** A refusal that time heals is looked at again after this long at the latest: clocks are set right, too. */
export const LONGEST_PAUSE_MS = 1_000;

/** How much later than possible a window is renewed: more than an answer usually takes. */
export const LATE_MS = 50;

/** After all slots were found to be held. */
export const CLAIM_AGAIN_MS = 250;
