import type { SqlExecutor, SqlResult } from '../executor.js';

/** The database that a connection reached. */
export interface SqliteHome {
  /**
   * Identifies it, as opposed to a copy of it: 1 to 200 characters without commas. A row whose last
   * reservation was made in another one was restored or copied.
   */
  readonly id: string;
  /** What it is not set up to survive, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * The port to a database of SQLite, in a file or elsewhere. Statements have anonymous parameters, `?`, whose
 * values are texts, numbers or null. Each statement is one transaction, which takes the lock for writing at
 * its beginning, and returns rows with `RETURNING`.
 */
export interface SqliteExecutor extends SqlExecutor {
  readonly dialect: 'sqlite';
  /**
   * `home`: the `id` of the database in which the statement may run. In another one, as after a file was
   * replaced since `home` was called, it rejects with `ERR_IDS_UNAVAILABLE`, and nothing has run: the rows of
   * a copy name the database from which it was made.
   */
  execute(text: string, values: readonly unknown[], signal?: AbortSignal, home?: string): Promise<SqlResult>;
  /**
   * Where statements run from now on. Rejects with `ERR_IDS_CONFIG` where a crash could lose commits. Called
   * before each reservation: an executor over a network answers from what it already knows.
   */
  home(signal?: AbortSignal): Promise<SqliteHome>;
}

export function isSqliteExecutor(executor: SqlExecutor): executor is SqliteExecutor {
  return executor.dialect === 'sqlite';
}
