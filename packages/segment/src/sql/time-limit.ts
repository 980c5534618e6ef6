/**
 * A reservation that its client has given up must not be made: nobody would use it. So
 * the server gives up first.
 *
 * `lock_timeout` ends each wait for a lock of the row. It is set in a CTE, which runs before the UPDATE
 * locks its row, and holds until the statement's own commit. There are two such waits in turn, one for the
 * row and one for its place in the queue, so the client allows for twice as much. A lock of the whole table
 * is waited for before anything runs, and a row that others changed is locked anew: so the time since the
 * statement arrived is also compared, each time that the row is evaluated. What remains of the client's time
 * is for the way there and back.
 */

/** Which part of the client's time one wait for a lock may take. */
const SHARE_OF_ONE_LOCK = 1 / 3;
const LONGEST_MS = 86_400_000;

/** The value of the parameter for a client that waits for `ms` milliseconds more; null: no limit. */
export function lockLimit(ms: number | undefined): number | null {
  if (ms === undefined) return null;
  return Math.min(LONGEST_MS, Math.max(1, Math.floor(ms * SHARE_OF_ONE_LOCK)));
}

/** A CTE `time_limit`, without `WITH`, that the UPDATE must name in its `FROM`. */
export function timeLimitCte(parameter: string): string {
  const limit = `COALESCE(${parameter}::int::text, current_setting('lock_timeout'))`;
  return `time_limit AS MATERIALIZED (SELECT pg_catalog.set_config('lock_timeout', ${limit}, true))`;
}

/**
 * Whether the time is not over. `transaction_timestamp()` is when the statement arrived, also if it
 * waited for its table since.
 */
export function withinTimeLimit(parameter: string): string {
  return `(${parameter}::int IS NULL OR pg_catalog.clock_timestamp()
    < pg_catalog.transaction_timestamp() + 2 * ${parameter}::int * interval '1 millisecond')`;
}
