import { lackingRights, type NewReignOptions, type SqlExecutor, SqlSegmentSource } from '@ids/segment/sql';
import type { NeededTable } from '../needed-tables.js';
import { schemaSteps } from '../schema-steps.js';
import { type Check, checked, clockCheck } from './check.js';

const SERVER = `
SELECT current_setting('server_version') AS version, current_user AS role,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS now, pg_is_in_recovery() AS standby`;

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
 * Whether the table is there, the role may use it, the sequences are in it, and what the store is not set up
 * to survive or its guards cannot see. `options` are those of the generator.
 */
export async function sequenceChecks(
  database: SqlExecutor,
  needed: NeededTable,
  generator: string,
  options: NewReignOptions = {},
): Promise<Check[]> {
  const { table, log } = needed;
  const what = `table ${table}`;
  const rights = await checked(what, () => rightsChecks(database, needed, generator));
  if (rights.some(({ status }) => status === 'wrong')) return rights;
  const sequences = needed.sequences.map(({ name }) =>
    checked(`sequence ${name}`, async () => {
      const source = new SqlSegmentSource(database, { ...options, table, log });
      const { maxId, warnings = [] } = await source.describe(name);
      const warned = warnings.map(
        (detail): Check => ({ what: `sequence ${name}`, status: 'warning', detail }),
      );
      return [{ what: `sequence ${name}`, status: 'ok', detail: `reserved up to ${maxId}` }, ...warned];
    }),
  );
  return [...rights, ...(await Promise.all(sequences)).flat()];
}

/** Each tells who needs it and what mends it. */
async function rightsChecks(database: SqlExecutor, needed: NeededTable, generator: string): Promise<Check[]> {
  const { table, log } = needed;
  const what = `table ${table}`;
  const { role, needed: rights, forGuard, grants } = await lackingRights(database, { table, log });
  const lacks = (names: readonly string[]): string => `role "${role}" lacks ${names.join(' and ')}`;
  if (rights.length > 0)
    return [
      { what, status: 'wrong', detail: `${lacks(rights)}, which generators.${generator} needs: ${grants}` },
    ];
  const missing = (await schemaSteps(database, needed)).flatMap(({ makes }) => makes);
  // Guards that are missing are among what the source warns of.
  const wrong = missing.filter((thing) => !thing.startsWith('guards '));
  if (wrong.length > 0) {
    return wrong.map((thing) => ({
      what: thing,
      status: 'wrong',
      detail: `is missing, and generators.${generator} needs it: npx --no ids apply makes it`,
    }));
  }
  const present: Check = { what, status: 'ok', detail: `present, with all rights of role "${role}"` };
  if (forGuard.length === 0) return [present];
  const detail = `${lacks(forGuard)}, so restores and promotions are not noticed: ${grants}`;
  return [{ what, status: 'warning', detail }];
}
