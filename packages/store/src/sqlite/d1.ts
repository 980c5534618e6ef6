import { abortable, formatValue } from '@ids/core/strategy';
import type { Row } from '../executor.js';
import { whileBusy } from './busy.js';
import type { SqliteExecutor, SqliteHome } from './executor.js';

interface D1StatementLike {
  bind(...values: unknown[]): D1StatementLike;
  all(): Promise<{ readonly results: readonly Row[] }>;
}

interface D1SessionLike {
  prepare(sql: string): D1StatementLike;
}

/** A binding to a database of Cloudflare D1: `env.DB` in a Worker. */
export interface D1DatabaseLike extends D1SessionLike {
  batch(statements: never[]): unknown;
  withSession?(constraint: 'first-primary'): D1SessionLike;
}

/** The same for each database: a binding does not say which one it reaches. */
const HOME: SqliteHome = {
  id: 'd1',
  warnings: [
    'a restore of D1 with Time Travel, or from an export, is not noticed, and ids are issued again: raise each sequence with setFloor after one',
  ],
};

/**
 * Runs statements on a database of D1. Each is a transaction of its own, and D1 answers when it is durable.
 * All of them reach the primary: the first statement of a session that begins with the primary does, and
 * without sessions there is nothing else. `close` does nothing.
 *
 * A statement whose answer was lost may have run. Then a segment is reserved that nobody uses. It is not run
 * again here, but the generator asks for another segment.
 */
export function fromD1(database: D1DatabaseLike): SqliteExecutor {
  const { prepare, batch } = Object(database) as Record<string, unknown>;
  if (typeof prepare !== 'function' || typeof batch !== 'function' || 'getBookmark' in database) {
    throw new TypeError(
      `fromD1 takes the binding of a database, such as env.DB, and not a session, which may read from a replica; got ${formatValue(database)}`,
    );
  }
  return {
    dialect: 'sqlite',
    execute: (text, values, signal) =>
      whileBusy(async () => {
        const session = database.withSession?.('first-primary') ?? database;
        const { results } = await abortable(
          session
            .prepare(text)
            .bind(...values)
            .all(),
          signal,
        );
        return { rows: results, notices: [] };
      }, signal),
    home: async () => HOME,
    close: async () => {},
  };
}
