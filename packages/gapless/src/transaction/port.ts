import type { DialectName, Row } from '@ids/store';

/** The transaction of a caller, whatever library it comes from. */
export interface TransactionPort {
  readonly dialect: DialectName;
  /**
   * Runs one statement in the transaction, and resolves with its rows; with none for a statement that returns
   * none. The text carries its values itself and has no `?`, so no library looks for parameters in it.
   */
  run(text: string): Promise<readonly Row[]>;
  /**
   * Runs several statements as one message, so that nothing comes between them, and resolves with the rows
   * of the last one. If one fails, those after it do not run. Absent where a library cannot. For Postgres
   * only.
   */
  readonly runTogether?: ((texts: readonly string[]) => Promise<readonly Row[]>) | undefined;
  /**
   * Whether the server has said that a transaction is open, and a statement that is run now would be the next
   * one that it gets. For Postgres only; absent where a library does not tell.
   */
  readonly isOpen?: (() => boolean) | undefined;
  /** For SQLite only. Without it, the database is a file of this machine. */
  readonly sqlite?: SqliteAccess | undefined;
}

/** What is special about a transaction of SQLite. */
interface SqliteAccess {
  /**
   * Runs one statement with anonymous parameters at once, and returns its rows; without values, by a call
   * that returns none. Absent where a driver answers later.
   */
  readonly now?: ((text: string, values?: readonly unknown[]) => readonly Row[]) | undefined;
  /** Whether a transaction is open. Absent where only the database can say it. */
  readonly isOpen?: (() => boolean) | undefined;
  /** Whether the database is on a server, which answers for its durability. */
  readonly remote?: boolean | undefined;
}

/** What a library answers a statement with: rows, an object that has them, or a pair of rows and columns. */
export function rowsOf(result: unknown): readonly Row[] {
  if (!Array.isArray(result)) {
    const { rows } = Object(result) as { readonly rows?: unknown };
    return Array.isArray(rows) ? rows : [];
  }
  const [first] = result;
  if (Array.isArray(first)) return first;
  // What mysql2 returns for a statement without rows: a header, and no columns.
  return isHeader(first) ? [] : result;
}

/** The answer to the last statement of a message. */
export function lastOf(results: unknown): unknown {
  return Array.isArray(results) ? results.at(-1) : results;
}

function isHeader(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'affectedRows' in value;
}
