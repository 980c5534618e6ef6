import { IdError } from '@ids/core';
import type { Row, SqlResult } from '../executor.js';
import type { TableWording } from '../table-shape.js';
import { REIGN_TRIGGER } from './reign.js';

/** What the check at start-up needs besides the row of `describe`. */
export interface DurabilityCheck {
  readonly table: string;
  /** Whether the database runs inside this process. */
  readonly embedded: boolean;
  /** As in `SqlExecutor`. */
  readonly deaf?: string | undefined;
  /** The grant log, if one is written. */
  readonly log: string | undefined;
  readonly wording: TableWording;
}

/** Throws `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
export function assertDurable(
  row: Row | undefined,
  { table, embedded, log, wording }: DurabilityCheck,
): void {
  const { what, create } = wording;
  const fault =
    row === undefined || row.relpersistence !== 'p'
      ? 'it is not a permanent table, so a crash empties it'
      : row.in_recovery === true
        ? 'the server is a standby; connect to the primary'
        : row.read_only === 'on'
          ? 'transactions are read-only, by default_transaction_read_only of the role, the database or the server'
          : row.fsync !== 'on' && !embedded && !isNeon(row)
            ? 'the server runs with fsync off, so a crash loses reservations'
            : undefined;
  if (fault !== undefined) {
    throw new IdError('ERR_IDS_CONFIG', `${what} ${table} cannot be used: ${fault}`);
  }
  if (log === undefined || row?.log_persistence === 'p') return;
  const missing = row?.log_persistence === null;
  const logFault = missing
    ? `is missing; create it with ${create.split(' ')[0]}({ log: true })`
    : 'is not a permanent table, so a crash empties it';
  throw new IdError('ERR_IDS_CONFIG', `${what} ${table}: its grant log ${log} ${logFault}`);
}

/**
 * Neon stores no data on the server's own disk, hence `fsync = off`. A commit waits until a majority of its
 * safekeepers has the log on disk; the server sees them as this one synchronous standby.
 */
export function isNeon({ standbys }: Row): boolean {
  return standbys === 'walproposer';
}

/** What the store is not set up to survive. */
export function durabilityWarnings(row: Row, { embedded }: DurabilityCheck): string[] {
  if (embedded || row.standbys !== '') return [];
  return [
    'synchronous_standby_names is empty: a failover to a lagging standby loses reservations, and if that is more than is skipped after it, ids are issued again; a server without a standby has no failover',
  ];
}

/**
 * The message of Postgres, and the function it comes from, for servers with another language. Such a commit
 * exists on this server only: a standby that takes over would reserve the same segment again.
 */
const MAYBE_NOT_REPLICATED = /might not have been replicated|SyncRepWaitForLSN/;

/** Throws `ERR_IDS_UNAVAILABLE` if the server warned that a commit might not have been replicated. */
export function assertReplicated(notices: readonly string[], name: string, what: string): void {
  if (!notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) return;
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(name)}: ${what}, because it might not have been replicated`,
  );
}

/**
 * Makes the server send a warning. No process has the id 0, so none is cancelled. A client that does not get
 * this warning would not get the one about a commit that was not replicated either.
 */
const WARNING_PROBE = `SELECT pg_catalog.set_config('client_min_messages', 'warning', true), pg_cancel_backend(0)`;

const DROPPED = 'something on the way drops them';

function warningsLost(why: string): string {
  return `warnings of the server do not arrive, because ${why}: a reservation that no standby confirmed would be used`;
}

/** If a standby must confirm commits, the server's warning that it did not must be able to arrive here. */
export async function replicationWarnings(
  send: (text: string, values: readonly unknown[]) => Promise<Pick<SqlResult, 'notices'>>,
  { standbys }: Row,
  { embedded, deaf }: DurabilityCheck,
): Promise<readonly string[]> {
  if (standbys === '' || embedded) return [];
  if (deaf !== undefined) return [warningsLost(deaf)];
  const { notices } = await send(WARNING_PROBE, []);
  return notices.length === 0 ? [warningsLost(DROPPED)] : [];
}

/**
 * Whether the triggers `needed` are there and enabled, and whether the guard, but not the trigger of the
 * reign, fires for subscriptions.
 */
export function triggerWarnings(
  { guards, always }: Row,
  { table, wording: { what, create, column } }: DurabilityCheck,
  needed: readonly string[],
): string[] {
  const [enabled, inReplicas] = [arrayOf(guards), arrayOf(always)];
  const run = `run ${create.split(' ')[0]}`;
  if (!needed.every((name) => enabled.includes(name))) {
    return [
      `${what} ${table}: the triggers that refuse a lower ${column}, DELETE and TRUNCATE are missing or disabled; ${run}`,
    ];
  }
  if (inReplicas.includes(REIGN_TRIGGER)) {
    return [
      `${what} ${table}: the trigger ${REIGN_TRIGGER} fires for subscriptions, so what they write looks as if it was granted here; ${run}`,
    ];
  }
  if (needed.every((name) => name === REIGN_TRIGGER || inReplicas.includes(name))) return [];
  return [
    `${what} ${table}: its guard does not fire for a subscription, nor where session_replication_role is replica, so either may write a lower ${column}; ${run}`,
  ];
}

/** A column of an array type; none if it is null. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
