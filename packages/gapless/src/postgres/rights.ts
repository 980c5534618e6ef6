import { type LackingRights, quotedRole, quotedTable, type SqlExecutor } from '@ids/store';
import { rightsLackedOn } from '@ids/store/postgres';
import { NUMBER_TABLE, seriesTableOf } from '../table/names.js';

/** `numberGrants` for Postgres. */
export function numberGrants(role: string, table: string): string {
  const to = `TO ${quotedRole(role)};\n`;
  return `GRANT SELECT ON ${quotedTable(seriesTableOf(table)).table} ${to}GRANT SELECT, INSERT, UPDATE (last_number) ON ${quotedTable(table).table} ${to}`;
}

/** `lackingNumberRights` on Postgres. */
export async function lackingNumberRights(executor: SqlExecutor, table: string): Promise<LackingRights> {
  const grants = (role: string): string => numberGrants(role, table);
  const columns = { reign: [], logged: [], write: [] };
  const series = { ...columns, read: ['series'] };
  const key = ['series', 'sequence_key', 'last_number'];
  const numbers = { ...columns, read: key, write: ['last_number'], insert: key };
  const ofSeries = await rightsLackedOn(executor, series, seriesTableOf(table), false, NUMBER_TABLE, grants);
  const ofNumbers = await rightsLackedOn(executor, numbers, table, false, NUMBER_TABLE, grants);
  return {
    ...ofNumbers,
    needed: [...ofSeries.needed, ...ofNumbers.needed],
    forGuard: [],
    writers: [...(ofSeries.writers ?? []), ...(ofNumbers.writers ?? [])],
  };
}
