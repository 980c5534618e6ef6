import { IdError, isIdError } from '@ids/core';
import { noSuchSequence } from '../source-errors.js';
import type { Run } from './reign-guard.js';
import { isUnsupported } from './sql-error.js';
import { quotedTable } from './table-name.js';

/**
 * The error for a sequence whose row was not found: it is missing, or row-level security
 * hides it from this role.
 */
export async function missingSequence(run: Run, name: string, table: string): Promise<IdError> {
  return (await hiddenByRowSecurity(run, name, table)) ?? noSuchSequence(name, `table ${table}`);
}

/**
 * The error for a row that cannot be seen or changed, when row-level security applies to
 * this role; else undefined.
 */
export async function hiddenByRowSecurity(
  run: Run,
  name: string,
  table: string,
): Promise<IdError | undefined> {
  if (!(await rowSecurityActive(run, table))) return undefined;
  return new IdError(
    'ERR_IDS_CONFIG',
    `sequence ${JSON.stringify(name)} is missing in table ${table}, or row-level security hides it from this role: create a policy ` +
      `for SELECT and UPDATE that lets the role in, or ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
  );
}

async function rowSecurityActive(run: Run, table: string): Promise<boolean> {
  try {
    const text =
      'SELECT row_security_active(c.oid) AS active FROM pg_class c WHERE c.oid = to_regclass($1::text)';
    const [row] = await run(text, [quotedTable(table).table]);
    return row?.active === true;
  } catch (error) {
    if (isIdError(error) && isUnsupported(error.cause)) return false;
    throw error;
  }
}
