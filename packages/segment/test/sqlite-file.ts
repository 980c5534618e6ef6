import { connectToFile, pathOfFile, SQLITE, type SqliteConnection } from '@ids/local-services/dialects';
import { ensureSchema, fromSqlite, type SqliteExecutor } from '../src/sql/index.js';

export interface TestFile {
  readonly path: string;
  readonly database: SqliteConnection;
  readonly executor: SqliteExecutor;
}

/** An empty segment table in a file of its own, gone after the test. */
export async function openFile({ log = false } = {}): Promise<TestFile> {
  const path = pathOfFile(await SQLITE.shared());
  const database = connectToFile(path);
  const executor = fromSqlite(database);
  await ensureSchema(executor, { log });
  return { path, database, executor };
}
