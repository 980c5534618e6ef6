import type { LackingRights, SqlExecutor } from '@ids/store';
import { mysqlGrantsOn, type NeededColumns, rightsLackedByTrying, watched } from '@ids/store/mysql';
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
  const both = neededIn(table);
  const [series, numbers] = both;
  const ofSeries = await rightsLackedByTrying(executor, series, NUMBER_TABLE);
  const ofNumbers = await rightsLackedByTrying(executor, numbers, NUMBER_TABLE, both.map(watched));
  return {
    ...ofNumbers,
    needed: [...ofSeries.needed, ...ofNumbers.needed],
    grants: `${ofSeries.grants} ${ofNumbers.grants}`,
  };
}

function neededIn(table: string): [series: NeededColumns, numbers: NeededColumns] {
  const columns = ['series', 'sequence_key', 'last_number'];
  return [
    { table: seriesTableOf(table), read: ['series', 'reign_server', 'reign_table'], written: [] },
    { table, read: columns, inserted: columns, written: columns },
  ];
}
