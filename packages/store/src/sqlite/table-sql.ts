import type { CallOptions, Row } from '../executor.js';
import type { TableWording } from '../table-shape.js';
import { sqliteError } from './errors.js';
import type { SqliteExecutor, SqliteHome } from './executor.js';

/** Runs statements on one table, and names the table in what fails. */
export interface SqliteTableSql {
  readonly table: string;
  /** `home`: see `SqliteExecutor`. */
  rows(
    text: string,
    values?: readonly unknown[],
    options?: CallOptions,
    home?: string,
  ): Promise<readonly Row[]>;
  home(options?: CallOptions): Promise<SqliteHome>;
}

export function sqliteTableSql(
  executor: SqliteExecutor,
  table: string,
  wording: TableWording,
): SqliteTableSql {
  const attempt = async <T>(
    run: (signal?: AbortSignal) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> => {
    try {
      return await run(signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw sqliteError(error, table, wording);
    }
  };
  return {
    table,
    rows: async (text, values = [], options, home) =>
      (await attempt((signal) => executor.execute(text, values, signal, home), options)).rows,
    home: (options) => attempt((signal) => executor.home(signal), options),
  };
}
