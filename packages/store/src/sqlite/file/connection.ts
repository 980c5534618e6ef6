import type { Row } from '../../executor.js';

/**
 * A connection to a file: a `Database` of `better-sqlite3` or `libsql`, or a `DatabaseSync` of `node:sqlite`.
 */
export interface SqliteDatabaseLike {
  prepare(sql: string): object;
  exec(sql: string): unknown;
  close(): unknown;
}

interface Statement {
  /** False where the statement returns no rows; absent in `node:sqlite`. */
  readonly reader?: boolean;
  /** From now on, `get` returns the first column; absent in `node:sqlite`, and without effect in `libsql`. */
  pluck?(): unknown;
  get(): unknown;
  all(...values: readonly unknown[]): readonly Row[];
  run(...values: readonly unknown[]): unknown;
}

/** What is asked of a driver. It answers at once. */
export interface SqliteConnection {
  all(text: string, values: readonly unknown[]): readonly Row[];
  /**
   * The one value of a statement that returns it, and that `all` is not used for. A driver takes a third of
   * the time of `all` for that.
   */
  value(text: string): unknown;
  exec(text: string): void;
  close(): void;
  /**
   * Whether a transaction is open. Only of a driver that ends each statement that it began, even one that met
   * a lock, so that a statement may commit by itself.
   */
  readonly inTransaction?: (() => boolean) | undefined;
}

export function isSqliteDatabase(value: unknown): value is SqliteDatabaseLike {
  const { prepare, exec, close } = Object(value) as Record<string, unknown>;
  return [prepare, exec, close].every((method) => typeof method === 'function');
}

/** How many prepared statements a connection keeps: those of daily use are fewer. */
const KEPT = 20;

export function connectionOver(database: SqliteDatabaseLike): SqliteConnection {
  // To prepare the statement of a reservation costs more than to run it, without its commit.
  const kept = new Map<string, Statement>();
  const run = <T>(text: string, ask: (statement: Statement) => T): T => {
    const statement = kept.get(text) ?? (database.prepare(text) as Statement);
    try {
      const answer = ask(statement);
      kept.set(text, statement);
      if (kept.size > KEPT) kept.delete([...kept.keys()][0] as string);
      return answer;
    } catch (error) {
      // A driver may have left it unfinished, and if the database was opened again, all of them are void.
      kept.clear();
      throw error;
    }
  };
  return {
    all: (text, values) => run(text, (statement) => rowsOf(statement, values)),
    value: (text) => run(text, oneValueOf),
    exec: (text) => void database.exec(text),
    close: () => {
      kept.clear();
      database.close();
    },
    inTransaction: inTransactionOf(database),
  };
}

/**
 * Of `better-sqlite3`, and of `node:sqlite` since Node.js 22.16. Not of `libsql`, which leaves statements
 * unfinished, and in all its versions is the only one that can `sync`.
 */
function inTransactionOf(database: object): (() => boolean) | undefined {
  if ('sync' in database) return undefined;
  const flags = database as { readonly inTransaction?: unknown; readonly isTransaction?: unknown };
  const name = (['inTransaction', 'isTransaction'] as const).find((one) => typeof flags[one] === 'boolean');
  return name && (() => flags[name] === true);
}

function oneValueOf(statement: Statement): unknown {
  statement.pluck?.();
  const found = statement.get();
  return typeof found === 'object' && found !== null ? Object.values(found)[0] : found;
}

function rowsOf(statement: Statement, values: readonly unknown[]): readonly Row[] {
  if (statement.reader !== false) return statement.all(...values);
  statement.run(...values);
  return [];
}
