import { IdError } from '@ids/core';
import type { Row } from './read-row.js';

/** What the start-up check looks at besides the row that `describe` gave. */
export interface DurabilityCheck {
  readonly table: string;
  /** Whether the database runs inside this process. */
  readonly embedded: boolean;
  /** The grant log, when one is written. */
  readonly log: string | undefined;
}

/** Throws `ERR_IDS_CONFIG` when the store could lose what it reserved, or cannot reserve at all. */
export function assertDurable(row: Row | undefined, { table, embedded, log }: DurabilityCheck): void {
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
    throw new IdError('ERR_IDS_CONFIG', `segment table ${table} cannot be used: ${fault}`);
  }
  if (log === undefined || row?.log_persistence === 'p') return;
  const missing = row?.log_persistence === null;
  const logFault = missing
    ? 'is missing; make it with ensureSchema({ log: true })'
    : 'is not a permanent table, so a crash empties it';
  throw new IdError('ERR_IDS_CONFIG', `segment table ${table}: its grant log ${log} ${logFault}`);
}

/**
 * Neon keeps no data on the server's own disk, hence `fsync = off`: a commit waits until a majority of its
 * safekeepers, which the server sees as this one synchronous standby, has the log on disk.
 */
function isNeon({ standbys }: Row): boolean {
  return standbys === 'walproposer';
}

/** What the store is not set up to survive. */
export function durabilityWarnings(row: Row, { embedded }: DurabilityCheck): string[] {
  if (embedded || row.standbys !== '') return [];
  return [
    'synchronous_standby_names is empty: a failover to a standby that lags loses reservations, and their ids may be given again',
  ];
}
