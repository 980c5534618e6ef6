import { connectToFile, pathOfFile, SQLITE, type SqliteConnection } from '@ids/local-services/dialects';
import type { SequenceGroup } from '@ids/segment';
import { createSequence, fromSqlite, type SqliteExecutor } from '@ids/segment/sql';
import { ensureKeyedSchema, SqlKeyedSource, type SqlKeyedSourceOptions } from '../src/sql/index.js';

export interface KeyFile {
  readonly path: string;
  readonly url: string;
  readonly database: SqliteConnection;
  readonly executor: SqliteExecutor;
  /** A source with a connection of its own, as another process has. */
  source(options?: SqlKeyedSourceOptions): SqlKeyedSource;
}

export interface KeyFileOptions {
  readonly family?: string;
  readonly startAfter?: number;
  readonly group?: SequenceGroup;
  readonly log?: boolean;
}

/** The tables of one family in a file of its own, gone after the test. */
export async function openKeyFile({
  family = 'message',
  startAfter = 0,
  group,
  log = false,
}: KeyFileOptions = {}): Promise<KeyFile> {
  const url = await SQLITE.shared();
  const database = connectToFile(url);
  const executor = fromSqlite(database);
  await ensureKeyedSchema(executor, { log });
  await createSequence(executor, family, { startAfter, group });
  return {
    path: pathOfFile(url),
    url,
    database,
    executor,
    source: (options) => new SqlKeyedSource(fromSqlite(connectToFile(url)), options),
  };
}
