import type { SqlExecutor } from '../executor.js';

/** The part of a PGlite database that is used. A transaction does not match: it has no `transaction`. */
export interface PgliteLike {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: object[] }>;
  readonly transaction: (...run: never[]) => unknown;
}

/** A Postgres inside this process, for development and tests. The caller closes the database. */
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
