import { IdError, isIdError } from '@ids/core';
import { isUnsupported, isWrongState, type Row, type Run } from './executor.js';
import { CHANGE_TEXT, type ReignChange, type ReignGuard, type Skips } from './reign.js';
import { REIGN_FACTS_STATEMENT, statementsFor } from './statements.js';
import { quotedTable } from './table-name.js';

/** What the check at start-up needs besides the row of `describe`. */
export interface DurabilityCheck {
  readonly table: string;
  /** Whether the database runs inside this process. */
  readonly embedded: boolean;
  /** The grant log, if one is written. */
  readonly log: string | undefined;
  /** How errors name the table; a segment table by default. */
  readonly what?: string;
}

/** Throws `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
export function assertDurable(
  row: Row | undefined,
  { table, embedded, log, what = 'segment table' }: DurabilityCheck,
): void {
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
    ? 'is missing; create it with ensureSchema({ log: true })'
    : 'is not a permanent table, so a crash empties it';
  throw new IdError('ERR_IDS_CONFIG', `${what} ${table}: its grant log ${log} ${logFault}`);
}

/**
 * Neon stores no data on the server's own disk, hence `fsync = off`. A commit waits until a majority of its
 * safekeepers has the log on disk; the server sees them as this one synchronous standby.
 */
function isNeon({ standbys }: Row): boolean {
  return standbys === 'walproposer';
}

/** What the store is not set up to survive. */
export function durabilityWarnings(row: Row, { embedded }: DurabilityCheck): string[] {
  if (embedded || row.standbys !== '') return [];
  return [
    'synchronous_standby_names is empty: a failover to a lagging standby loses reservations, and their ids may be issued again',
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
export const WARNING_PROBE = `SELECT pg_catalog.set_config('client_min_messages', 'warning', true), pg_cancel_backend(0)`;

export const WARNINGS_LOST =
  'warnings of the server do not arrive, because something on the way drops them: a reservation that no standby confirmed would be used';

export interface FoundReign {
  readonly guard: ReignGuard;
  /** What the next reservation would detect. */
  readonly change: ReignChange | undefined;
  /** What the guard cannot detect, and why; undefined if it is complete. */
  readonly missing: string | undefined;
}

/**
 * Finds out by trying how much of the reign can be compared; `facts` is a row with the facts about the reign.
 */
export async function findReign(run: Run, table: string, name: string, facts?: Row): Promise<FoundReign> {
  const row = facts ?? (await run(REIGN_FACTS_STATEMENT, [quotedTable(table).table]))[0];
  if (row?.reign_columns !== true)
    return off('it lacks their columns; run ensureSchema or segmentSchema again');
  if (row.reign_usable !== true)
    return off('the role may not use their columns; grant what segmentGrants prints');
  for (let primary = false; ; primary = true) {
    try {
      return { guard: 'full', change: await changeOf(run, table, name, 'full'), missing: undefined };
    } catch (error) {
      if (!isIdError(error)) throw error;
      // A standby fails in the same way as a primary that does not disclose its timeline, and may be promoted
      // at any moment. So the error counts after the server was a primary, which it remains.
      const wrong = isWrongState(error.cause);
      if (wrong && !primary && (await isPrimary(run))) continue;
      if (!isUnsupported(error.cause) && !(wrong && primary)) throw error;
      const missing = `promoted standbys are not detected, because the server does not disclose its timeline: ${reason(error)}`;
      return { guard: 'row', change: await changeOf(run, table, name, 'row'), missing };
    }
  }
}

async function isPrimary(run: Run): Promise<boolean> {
  const [row] = await run('SELECT pg_catalog.pg_is_in_recovery() AS standby', []);
  return row?.standby === false;
}

/** What the next reservation would detect. */
export async function changeOf(
  run: Run,
  table: string,
  name: string,
  guard: Exclude<ReignGuard, 'off'>,
): Promise<ReignChange | undefined> {
  const [row] = await run(statementsFor(table, guard).change, [name]);
  return readChange(row?.change);
}

export function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

function off(why: string): FoundReign {
  const missing = `promoted standbys and restored tables are not detected: ${why}`;
  return { guard: 'off', change: undefined, missing };
}

function reason({ cause }: IdError): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What the guards of the table cannot do here, because of settings of the role, the database or a pooler. */
export function guardWarnings(
  row: Row,
  { guard, change, missing }: FoundReign,
  { table, embedded }: DurabilityCheck,
  skips: Skips,
): string[] {
  const warnings: string[] = [];
  // A database inside this process has no standbys, so its row is enough.
  if (missing !== undefined && !(embedded && guard === 'row'))
    warnings.push(`segment table ${table}: ${missing}`);
  if (change !== undefined) warnings.push(`segment table ${table}: ${pending(change, skips)}`);
  const guards = arrayOf(row.guards);
  if (!guards.includes('id_segment_guard') || !guards.includes('id_segment_guard_truncate')) {
    warnings.push(
      `segment table ${table}: the triggers that refuse a lower max_id, DELETE and TRUNCATE are missing or disabled; run ensureSchema, or ALTER TABLE ${table} ENABLE TRIGGER USER`,
    );
  } else if (row.replication_role === 'replica') {
    warnings.push(
      'session_replication_role is replica for this role or database, so its statements bypass the triggers of the segment table',
    );
  }
  const schemas = arrayOf(row.schemas);
  if (!table.includes('.') && schemas.length > 1) {
    warnings.push(
      `segment table ${table} is in the schemas ${schemas.join(', ')} of the search_path; with another search_path the same ids would be issued again: name the schema in "table"`,
    );
  }
  return warnings;
}

function pending(change: ReignChange, skips: Skips): string {
  const skip = skips[change];
  const then = skip === null ? 'is refused until setFloor is called' : `skips ${skip} ids`;
  return `${CHANGE_TEXT[change]}; the next reservation ${then}`;
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
