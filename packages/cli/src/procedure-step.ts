import {
  ensureReserveProcedure,
  lacksReserveProcedure,
  reserveProcedureSql,
  type SqlExecutor,
} from '@ids/segment/sql';
import type { NeededTable } from './generators.js';
import { refusable, type SchemaStep } from './schema-step.js';

/**
 * The step that creates the procedure `ids_reserve` of a segment table, if it is missing or not as the
 * generators of the config reserve. `tableChanges`: the table is created or completed before.
 */
export async function procedureSteps(
  database: SqlExecutor | undefined,
  { table, log, reign }: NeededTable,
  tableChanges: boolean,
): Promise<SchemaStep[]> {
  const options = { table, log, ...reign };
  if (database !== undefined && !tableChanges && !(await lacksReserveProcedure(database, options))) return [];
  const what = `procedure ids_reserve for table ${table}`;
  return [
    {
      creates: [what],
      sql: reserveProcedureSql(options),
      run: async (to) => {
        await refusable(to, `create ${what}`, 'CREATE', table, () => ensureReserveProcedure(to, options));
        return true;
      },
    },
  ];
}
