/** What a statement gave. */
export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Notices and warnings that the connection received while the statement ran, one text each. */
  readonly notices: readonly string[];
}

/** The whole port to a Postgres database. */
export interface SqlExecutor {
  /**
   * True for a database that runs inside this process and writes its own files: there the server's `fsync`
   * setting says nothing about durability.
   */
  readonly embedded?: boolean;
  /**
   * Runs one statement, committed by itself: never inside a transaction that somebody else may roll
   * back, or the same segment is reserved twice. An abort before the statement was sent cancels it;
   * after that it may still commit.
   */
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult>;
  /** Closes what the executor opened itself. Idempotent. */
  close(): Promise<void>;
}
