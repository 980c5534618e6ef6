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
  all(...values: readonly unknown[]): readonly Row[];
  run(...values: readonly unknown[]): unknown;
}

/** What is asked of a driver. It answers at once. */
export interface SqliteConnection {
  all(text: string, values: readonly unknown[]): readonly Row[];
  exec(text: string): void;
  close(): void;
}

export function isSqliteDatabase(value: unknown): value is SqliteDatabaseLike {
  const { prepare, exec, close } = Object(value) as Record<string, unknown>;
  return [prepare, exec, close].every((method) => typeof method === 'function');
}

export function connectionOver(database: SqliteDatabaseLike): SqliteConnection {
  return {
    all: (text, values) => {
      const statement = database.prepare(text) as Statement;
      if (statement.reader !== false) return statement.all(...values);
      statement.run(...values);
      return [];
    },
    exec: (text) => void database.exec(text),
    close: () => void database.close(),
  };
}
