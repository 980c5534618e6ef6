import { IdError } from '@ids/core';
import type { SqliteConnection } from './connection.js';

/** Reads the one value of a PRAGMA. */
export function pragma(connection: SqliteConnection, name: string): unknown {
  return connection.value(`PRAGMA ${name}`);
}

const EXTRA = 3;
const FULL = 2;

/**
 * What a connection that was opened here is set to. EXTRA is FULL in the mode WAL. In the mode DELETE, it
 * also syncs the folder after a commit: before, a power cut brings the journal back, and that takes the
 * commit back. `fullfsync` concerns macOS alone, where fsync leaves data in the cache of the disk.
 */
export const OWN_SETTINGS = 'PRAGMA synchronous = EXTRA; PRAGMA fullfsync = 1; PRAGMA busy_timeout = 0';

/**
 * Throws `ERR_IDS_CONFIG` if a crash could lose commits of a connection. Whoever handed it in can change both
 * settings at any time, so each reservation asks.
 */
export function assertSqliteDurable(connection: SqliteConnection, file: string): void {
  const mode = String(pragma(connection, 'journal_mode'));
  assertDurableSettings(file, mode, Number(pragma(connection, 'synchronous')));
}

/** The same for settings that were read. */
export function assertDurableSettings(file: string, journalMode: string, synchronous: number): void {
  const fault = faultOf(journalMode.toLowerCase(), synchronous);
  if (fault === undefined) return;
  throw new IdError('ERR_IDS_CONFIG', `database ${file} cannot be used: ${fault}`);
}

function faultOf(mode: string, synchronous: number): string | undefined {
  if (!['wal', 'delete', 'truncate', 'persist'].includes(mode)) {
    return `journal_mode is ${mode}, so a crash can damage it; use PRAGMA journal_mode = WAL`;
  }
  if (synchronous < FULL) {
    return `synchronous is ${synchronous}, so a power cut loses reservations; use PRAGMA synchronous = FULL, or EXTRA with journal_mode = DELETE`;
  }
  if (mode === 'delete' && synchronous < EXTRA) {
    return 'with journal_mode = DELETE and synchronous = FULL, a power cut can bring back the journal of the last reservation, which takes it back; use PRAGMA synchronous = EXTRA, or journal_mode = WAL';
  }
  return undefined;
}
