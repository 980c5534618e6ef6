/*
 * The reign of a table is one uninterrupted life of one server with one history. A reservation compares the
 * server with what its row stores of it: see `reign.ts` of each database.
 */

/** Why the row is not as its last reservation left it. */
export type ReignChange = 'failover' | 'restore';

/** A change as a statement returns it; undefined for null. */
export function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

/** What happened to the table, in words. */
export const CHANGE_TEXT: Readonly<Record<ReignChange, string>> = {
  failover: 'its server was promoted, or recovered from a base backup, since the last reservation',
  restore: 'its row was restored, copied or replicated, or its server upgraded, since the last reservation',
};
