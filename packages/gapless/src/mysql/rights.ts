import type { LackingRights, SqlExecutor } from '@ids/store';
import { mysqlGrantsOn, type NeededColumns, rightsLackedByTrying } from '@ids/store/mysql';
import { NUMBER_TABLE, seriesTableOf } from '../table/names.js';

/**
 * `numberGrants` for MySQL. An INSERT that may become an UPDATE needs the right to write what it names, even
 * though it writes one of them. The trigger refuses the others.
 */
export function mysqlNumberGrants(role: string, table: string): string {
  return neededIn(table)
    .map((needed) => mysqlGrantsOn(role, needed))
    .join('');
}

/** `lackingNumberRights` on MySQL. */
export async function lackingMysqlNumberRights(executor: SqlExecutor, table: string): Promise<LackingRights> {
  const [series, numbers] = neededIn(table);
  const ofSeries = await rightsLackedByTrying(executor, series, NUMBER_TABLE);
  const ofNumbers = await rightsLackedByTrying(executor, numbers, NUMBER_TABLE);
  const grants = [ofSeries, ofNumbers].filter(({ needed }) => needed.length > 0).map((of) => of.grants);
  return {
    ...ofNumbers,
    needed: [...ofSeries.needed, ...ofNumbers.needed],
    grants: grants.join(' '),
  };
}

function neededIn(table: string): [series: NeededColumns, numbers: NeededColumns] {
  const columns = ['series', 'sequence_key', 'last_number'];
  return [
    { table: seriesTableOf(table), read: ['series', 'reign_server', 'reign_table'], written: [] },
    { table, read: columns, inserted: columns, written: columns },
  ];
}
