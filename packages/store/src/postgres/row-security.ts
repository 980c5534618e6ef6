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

/**
 * A statement that fails with SQLSTATE 42501 where row-level security may hide rows of a query from this
 * role, also rows of a table below a view. `query` is its text, as an expression in SQL. It is prepared after
 * the setting has changed, which a statement by itself cannot do. Afterwards the setting is as before.
 */
export function allRowsStatement(query: string): string {
  return `WITH before AS MATERIALIZED (
  SELECT current_setting('row_security') AS was, set_config('row_security', 'off', true) AS set
), asked AS MATERIALIZED (
  SELECT was, query_to_xml(${query}, set = 'off', false, '') AS none FROM before
)
SELECT set_config('row_security', was, true) AS put_back FROM asked`;
}
