import type { NewReignOptions, SqlExecutor } from '@ids/segment/sql';
import { SqlSegmentSource } from '@ids/segment/sql';
import { type Check, checked, clockCheck } from './check.js';

const SERVER = `
SELECT current_setting('server_version') AS version, current_user AS role,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS now, pg_is_in_recovery() AS standby`;

/** $1 the table's name, quoted. */
const RIGHTS = `
SELECT to_regclass($1) IS NOT NULL AS present,
  CASE WHEN to_regclass($1) IS NOT NULL THEN has_table_privilege(to_regclass($1), 'SELECT') END AS may_read,
  CASE WHEN to_regclass($1) IS NOT NULL THEN has_any_column_privilege(to_regclass($1), 'UPDATE') END AS may_reserve`;

/** Whether the server answers, as whom, and whether its clock agrees. */
export async function serverChecks(database: SqlExecutor): Promise<Check[]> {
  return checked('database', async () => {
    const before = Date.now();
    const { rows } = await database.execute(SERVER, []);
    const after = Date.now();
    const { version, role, now, standby } = rows[0] ?? {};
    return [
      {
        what: 'database',
        status: standby === true ? 'wrong' : 'ok',
        detail: `Postgres ${version} as ${role}${standby === true ? ', a standby: connect to the primary' : ''}`,
      },
      clockCheck('database', Number(now), before, after),
    ];
  });
}

/**
 * Whether the table is there, the role may use it, the sequence is in it, and what the store is not set up to survive or its guards
 * cannot see. `options` are those of the generator.
 */
export async function sequenceChecks(
  database: SqlExecutor,
  table: string,
  name: string,
  options: NewReignOptions = {},
): Promise<Check[]> {
  const rights = await checked(`table ${table}`, async () => {
    const quoted = table
      .split('.')
      .map((part) => `"${part}"`)
      .join('.');
    const { rows } = await database.execute(RIGHTS, [quoted]);
    const { present, may_read, may_reserve } = rows[0] ?? {};
    const what = `table ${table}`;
    if (present !== true)
      return [{ what, status: 'wrong', detail: 'is missing: ids init writes its DDL, --apply makes it' }];
    const missing = [may_read === true ? '' : 'SELECT', may_reserve === true ? '' : 'UPDATE (max_id)'].filter(
      Boolean,
    );
    if (missing.length === 0) return [{ what, status: 'ok', detail: 'present, SELECT and UPDATE granted' }];
    return [{ what, status: 'wrong', detail: `the role lacks ${missing.join(' and ')}` }];
  });
  if (rights.some(({ status }) => status === 'wrong')) return rights;
  const what = `sequence ${name}`;
  const sequence = await checked(what, async () => {
    const source = new SqlSegmentSource(database, { ...options, table });
    const { maxId, warnings = [] } = await source.describe(name);
    const warned = warnings.map((detail): Check => ({ what, status: 'warning', detail }));
    return [{ what, status: 'ok', detail: `reserved up to ${maxId}` }, ...warned];
  });
  return [...rights, ...sequence];
}
