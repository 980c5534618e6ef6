import { IdError } from '@ids/core';
import type { SegmentSource } from '../segment-source.js';
import { assertDatabaseUrl } from './database-url.js';
import type { NewReignOptions } from './new-reign.js';
import { fromPg, fromPgUrl, type PgPoolLike } from './pg-executor.js';
import type { TableOptions } from './segment-schema.js';
import { type LogOptions, SqlSegmentSource } from './sql-segment-source.js';
import { DEFAULT_TABLE, quotedTable } from './table-name.js';

export interface SqlSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /**
   * A pool, which stays the caller's to close, or a `postgres://` URL, for which a pool
   * is opened and closed here.
   */
  readonly database: PgPoolLike | string;
}

/**
 * A segment source over a database; its `close` closes what was opened here. Connects when it is first asked.
 */
export async function openSqlSource({ database, ...options }: SqlSourceOptions): Promise<SqlSegmentSource> {
  quotedTable(options.table ?? DEFAULT_TABLE);
  if (typeof database === 'string') assertDatabaseUrl(database);
  const executor = typeof database === 'string' ? await fromPgUrl(database) : fromPg(database);
  return new SqlSegmentSource(executor, { ...options, closeExecutor: true });
}

/** Where a strategy's segments come from: exactly one of `database` and `source`. */
export interface SourceOptions extends TableOptions, LogOptions, NewReignOptions {
  readonly database?: PgPoolLike | string | undefined;
  /** A ready source, which stays the caller's to close. */
  readonly source?: SegmentSource | undefined;
}

export interface OpenedSource {
  readonly source: SegmentSource;
  /** Whether the source was opened here, so that whoever asked for it must close it. */
  readonly owned: boolean;
}

/** The source that a strategy's options name. Throws `ERR_IDS_CONFIG` unless they name exactly one. */
export async function openSource(options: SourceOptions): Promise<OpenedSource> {
  const { database, source, table, log, owner, afterFailover, afterRestore } = options;
  const problem = sourceProblem(options);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', problem);
  if (source !== undefined) return { source, owned: false };
  if (database === undefined) throw new TypeError('unreachable: sourceProblem wants one of the two');
  return {
    source: await openSqlSource({ database, table, log, owner, afterFailover, afterRestore }),
    owned: true,
  };
}

/** What keeps the options from naming exactly one source. */
export function sourceProblem(options: SourceOptions): string | undefined {
  const { database, source, table, log } = options;
  if (database === undefined && source === undefined) {
    return 'give "database" (a postgres:// URL or a pg.Pool) or "source" (a SegmentSource)';
  }
  if (database !== undefined && source !== undefined) return 'give "database" or "source", not both';
  if (source !== undefined && table !== undefined)
    return '"table" belongs to "database"; a "source" has its own';
  if (source !== undefined && log === true)
    return '"log" belongs to "database"; a "source" writes its own log or none';
  for (const name of ['afterFailover', 'afterRestore'] as const) {
    if (source !== undefined && options[name] !== undefined)
      return `"${name}" belongs to "database"; a "source" has its own`;
  }
  return undefined;
}
