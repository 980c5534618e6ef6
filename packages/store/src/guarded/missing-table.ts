import * as mysql from '../mysql/errors.js';
import * as sqlite from '../sqlite/errors.js';

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** True if a statement failed because there is no such table, in any database. */
export function isMissingTable(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === UNDEFINED_TABLE || mysql.isMissingTable(error) || sqlite.isMissingTable(error);
}
