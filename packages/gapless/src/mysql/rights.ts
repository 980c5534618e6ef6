import type { LackingRights, SqlExecutor } from '@ids/store';
import { mysqlGrantsOn, type NeededColumns, rightsLackedByTrying, watched } from '@ids/store/mysql';
import { NUMBER_TABLE, referenceTableOf, seriesTableOf } from '../table/names.js';

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
  const needed = neededIn(table);
  const all: LackingRights[] = [];
  for (const one of needed) {
    const watches = one === needed.at(-1) ? needed.map(watched) : [];
    all.push(await rightsLackedByTrying(executor, one, NUMBER_TABLE, watches));
  }
  return {
    ...(all.at(-1) as LackingRights),
    needed: all.flatMap((one) => one.needed),
    grants: all.map(({ grants }) => grants).join(' '),
  };
}

function neededIn(table: string): NeededColumns[] {
  const columns = ['series', 'sequence_key', 'last_number'];
  const filled = ['sequence_key', 'first_number', 'last_number'];
  return [
    { table: seriesTableOf(table), read: ['series', 'reign_server', 'reign_table'], written: [] },
    {
      table: referenceTableOf(table),
      read: ['series', 'reference', ...filled],
      inserted: ['series', 'reference'],
      written: filled,
    },
    { table, read: columns, inserted: columns, written: columns },
  ];
}
