import { dialectOf } from '../dialects/any-dialect.js';
import { openDatabase } from './generators.js';

/**
 * Does `work` in a transaction in which `seedWithin` can run, on a connection of its own. Commits if it
 * resolves, and otherwise rolls back.
 */
export async function inTransaction<T>(database: unknown, work: (tx: object) => Promise<T>): Promise<T> {
  await using executor = await openDatabase(database);
  return await dialectOf(executor).inTransaction(database, work);
}
