import type { ConfiguredGenerator } from '@ids/config';
import { IdError } from '@ids/core';
import { fromPg, fromPgUrl, type PgPoolLike, type SqlExecutor } from '@ids/segment/sql';
import type { SequencePlace } from './context.js';

/** Where a generator's sequence stands; undefined for one without a database of its own to ask. */
export function sequenceOf({ options }: ConfiguredGenerator): SequencePlace | undefined {
  const { database, table, name } = options;
  if (database === undefined || typeof name !== 'string') return undefined;
  return { database, table: typeof table === 'string' ? table : undefined, name };
}

/** Statements against a database of the config; its `close` closes what was opened here and nothing else. */
export async function openDatabase(database: unknown): Promise<SqlExecutor> {
  if (database === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'there is no database: set "database" in the config, or IDS_DATABASE_URL',
    );
  }
  return typeof database === 'string' ? fromPgUrl(database, { max: 1 }) : fromPg(database as PgPoolLike);
}
