/** The result of a statement. */
export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Notices and warnings that the connection received while the statement ran. */
  readonly notices: readonly string[];
}

export type Row = SqlResult['rows'][number];

/** The SQL that a database understands. MariaDB counts as MySQL. */
export type DialectName = 'postgres' | 'mysql' | 'sqlite';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The port to a database. */
export interface SqlExecutor {
  /** Default: `postgres`. */
  readonly dialect?: DialectName;
  /**
   * True for a database that runs inside this process and writes its own files. Then the `fsync` setting says
   * nothing about durability.
   */
  readonly embedded?: boolean;
  /**
   * Why `notices` stay empty whatever the server says, as a clause for `because`. Absent where they arrive.
   * Without them, nothing shows that no standby confirmed a reservation, so `describe` warns of it.
   */
  readonly deaf?: string | undefined;
  /**
   * Runs one statement, which commits by itself: never inside a transaction that somebody else may roll back,
   * or the same segment would be reserved twice. An abort cancels a statement that was not sent yet; later,
   * it may still commit.
   */
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult>;
  /**
   * The same for a long statement that runs often: each connection parses it only once, if possible. Absent
   * where that gains nothing.
   */
  prepared?(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult>;
  /** Closes what the executor opened itself. Idempotent. */
  close(): Promise<void>;
}
