import type { SqlExecutor } from './executor.js';

/**
 * The part of a PGlite database that is needed. A transaction of it has no `transaction` of
 * its own and does not match.
 */
export interface PgliteLike {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: object[] }>;
  readonly transaction: (...run: never[]) => unknown;
}

/** A Postgres inside this process, for development and tests. The database stays the caller's to close. */
export function fromPglite(database: PgliteLike): SqlExecutor {
  if (typeof database?.query !== 'function' || typeof database.transaction !== 'function') {
    throw new TypeError('fromPglite takes a PGlite database, not a transaction of it');
  }
  return {
    embedded: true,
    async execute(text, values, signal) {
      signal?.throwIfAborted();
      const { rows } = await database.query(text, [...values]);
      return { rows: rows as Record<string, unknown>[], notices: [] };
    },
    async close() {},
  };
}
