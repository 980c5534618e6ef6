import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { missingFile } from '@ids/store/sqlite/file';
import { STOP_FIRST } from './fixes.js';
import { openBounded } from './generators.js';

/**
 * `openBounded` of a database that exists. To open a file of SQLite where there is none would create an empty
 * one. Rejects with `ERR_IDS_CONFIG` then.
 */
export async function openExisting(database: unknown): Promise<SqlExecutor & AsyncDisposable> {
  assertExists(database);
  return openBounded(database);
}

/** Throws `ERR_IDS_CONFIG` for a file that is not there. */
export function assertExists(database: unknown): void {
  const path = missingFile(database);
  if (path === undefined) return;
  const apply = 'npx --no -- ids apply';
  throw new IdError(
    'ERR_IDS_CONFIG',
    `there is no file ${path}: if it never existed, create it with ${apply}; if it was lost, put it back, or ` +
      `${STOP_FIRST} ${apply} --start-after <the highest ID that anybody saw>`,
  );
}
