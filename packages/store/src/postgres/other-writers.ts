import { isIdError, type StoreWriters } from '@ids/core';
import { quotedTable } from '../table-name.js';
import { isUnsupported, type Run } from './errors.js';

/** The columns of a table that the role of any service may set, as its grants say. */
export interface WrittenByServices {
  readonly update: readonly string[];
  readonly insert: readonly string[];
  readonly delete: boolean;
}

/** With these, somebody can raise or lower a row, or make another role run what changes it. */
const WRITING = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'];

/**
 * $1 the table, quoted; $2 and $3 the columns that a service may update and insert; $4 whether it may delete.
 * Not among them: the owner, superusers, who holds no more than a service needs, and the role that asks. Nor
 * what that role belongs to, unless it may write as the owner does. PUBLIC always is.
 */
const OTHERS = `
WITH c AS (SELECT oid, relowner, relacl FROM pg_class WHERE oid = to_regclass($1)),
  columns AS (SELECT a.attname::text AS name, a.attacl FROM c JOIN pg_attribute a ON a.attrelid = c.oid WHERE a.attnum > 0 AND NOT a.attisdropped),
  held AS (
    SELECT x.grantee, x.privilege_type AS what, CASE WHEN x.privilege_type IN ('INSERT', 'UPDATE') THEN columns.name END AS name
    FROM c CROSS JOIN aclexplode(c.relacl) x CROSS JOIN columns
    UNION SELECT x.grantee, x.privilege_type, columns.name FROM columns CROSS JOIN aclexplode(columns.attacl) x
  )
SELECT CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END AS role
FROM held CROSS JOIN c LEFT JOIN pg_roles r ON r.oid = held.grantee
WHERE held.what IN (${WRITING.map((right) => `'${right}'`).join(', ')}) AND held.grantee <> c.relowner
  AND (held.grantee = 0 OR NOT (r.rolsuper OR r.rolname = current_user
    OR (pg_has_role(held.grantee, 'USAGE') AND NOT pg_has_role(c.relowner, 'USAGE'))
    OR CASE held.what WHEN 'UPDATE' THEN held.name = ANY($2::text[]) WHEN 'INSERT' THEN held.name = ANY($3::text[])
      WHEN 'DELETE' THEN $4::boolean ELSE false END))
GROUP BY 1 ORDER BY 1`;

/** Who may write a table besides its services, by what was granted; undefined if nobody may. */
export async function otherWritersOf(
  run: Run,
  table: string,
  services: WrittenByServices,
): Promise<StoreWriters | undefined> {
  const { table: quoted } = quotedTable(table);
  try {
    const rows = await run(OTHERS, [quoted, services.update, services.insert, services.delete]);
    if (rows.length === 0) return undefined;
    const roles = rows.map(({ role }) => String(role));
    return { table, roles, revoke: `REVOKE ${WRITING.join(', ')} ON ${quoted} FROM ${roles.join(', ')};` };
  } catch (error) {
    // A server that is only like Postgres, or a schema that the role may not use.
    if (isIdError(error) && isUnsupported(error.cause)) return undefined;
    throw error;
  }
}
