import { isIdError } from '@ids/core';
import { quotedTable } from '../table-name.js';
import { isUnsupported, type Run } from './errors.js';

/** Whether row-level security applies to this role, so that rows which it does not see may exist. */
export async function rowSecurityActive(run: Run, table: string): Promise<boolean> {
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

/** For a message: that rows may be hidden, and what ends that. */
export function hiddenRows(table: string): string {
  return `row-level security hides it from this role: create a policy for SELECT and UPDATE that lets the role in, or ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`;
}
