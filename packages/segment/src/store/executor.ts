/** The result of a statement. */
export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Notices and warnings that the connection received while the statement ran. */
  readonly notices: readonly string[];
}

export type Row = SqlResult['rows'][number];

/** What a database understands. MariaDB counts as MySQL. */
export type DialectName = 'postgres' | 'mysql';

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
   * Runs one statement, which commits by itself: never inside a transaction that somebody else may roll back,
   * or the same segment would be reserved twice. An abort cancels a statement that was not sent yet; later,
   * it may still commit.
   */
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<SqlResult>;
  /** Closes what the executor opened itself. Idempotent. */
  close(): Promise<void>;
}

/** How messages name a table, and what mends it. */
export interface TableWording {
  readonly what: string;
  /** The functions that create it, the one that does so at once first: `ensureSchema or segmentSchema`. */
  readonly create: string;
  /** The function that prints the grants of its roles. */
  readonly grants: string;
  /** The column that triggers keep from going back. */
  readonly column: string;
}

export const SEGMENT_TABLE: TableWording = {
  what: 'segment table',
  create: 'ensureSchema or segmentSchema',
  grants: 'segmentGrants',
  column: 'max_id',
};
