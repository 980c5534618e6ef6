/*
 * The time limit of a reservation. If the client has given up, the reservation must not be made, because
 * nobody would use it. So the server gives up first, after two thirds of the client's time; the rest is for
 * the two ways over the network. On MariaDB the limit holds for the statement, whatever it waits for. MySQL
 * limits the wait for the row, in whole seconds. Both compare the time when the row is evaluated, which is
 * after it was locked, with the time at which the statement arrived: SYSDATE moves on, NOW does not.
 */

const SHARE = 2 / 3;

const LONGEST_MS = 86_400_000;

/** How long the server may take, in whole milliseconds, if the client waits for `leftMs`. */
export function limitOf(leftMs: number): number {
  return Math.min(LONGEST_MS, Math.max(1, Math.floor(leftMs * SHARE)));
}

/**
 * The beginning of a statement that takes at most `limitMs` milliseconds, for MariaDB; empty without a limit.
 * `settings` hold for it too: `name = value`.
 */
export function statementLimit(limitMs: number | undefined, ...settings: readonly string[]): string {
  const limits = limitMs === undefined ? [] : [`max_statement_time = ${limitMs / 1_000}`];
  const all = [...limits, ...settings];
  return all.length === 0 ? '' : `/*M!100108 SET STATEMENT ${all.join(', ')} FOR */ `;
}

/** What follows the verb of the same statement, for MySQL; empty without a limit. */
export function rowLimit(limitMs: number | undefined, ...settings: readonly string[]): string {
  const limits = limitMs === undefined ? [] : [`innodb_lock_wait_timeout = ${Math.ceil(limitMs / 1_000)}`];
  const all = [...limits, ...settings];
  return all.length === 0 ? '' : `/*+ ${all.map((one) => `SET_VAR(${one})`).join(' ')} */ `;
}

/** The condition on a row of the same statement. */
export function withinTimeLimit(limitMs: number): string {
  return `SYSDATE(6) < NOW(6) + INTERVAL ${1_000 * limitMs} MICROSECOND`;
}
