import { type LackingRights, quotedRole, quotedTable, type SqlExecutor } from '@ids/store';
import { rightsLackedOn } from '@ids/store/postgres';
import { NUMBER_TABLE, referenceTableOf, seriesTableOf } from '../table/names.js';

/** `numberGrants` for Postgres. */
export function numberGrants(role: string, table: string): string {
  const to = `TO ${quotedRole(role)};\n`;
  const filled = FILLED.join(', ');
  return `GRANT SELECT ON ${quotedTable(seriesTableOf(table)).table} ${to}GRANT SELECT, INSERT, UPDATE (${filled}) ON ${quotedTable(referenceTableOf(table)).table} ${to}GRANT SELECT, INSERT, UPDATE (last_number) ON ${quotedTable(table).table} ${to}`;
}

/** What is written into the row of a reference once it has numbers. */
const FILLED = ['sequence_key', 'first_number', 'last_number'];

/** `lackingNumberRights` on Postgres. */
export async function lackingNumberRights(executor: SqlExecutor, table: string): Promise<LackingRights> {
  const grants = (role: string): string => numberGrants(role, table);
  const columns = { reign: [], logged: [], write: [] };
  const key = ['series', 'sequence_key', 'last_number'];
  const document = ['series', 'reference', ...FILLED];
  const needed = [
    [seriesTableOf(table), { ...columns, read: ['series'] }],
    [referenceTableOf(table), { ...columns, read: document, write: FILLED, insert: ['series', 'reference'] }],
    [table, { ...columns, read: key, write: ['last_number'], insert: key }],
  ] as const;
  const all: LackingRights[] = [];
  for (const [name, rights] of needed)
    all.push(await rightsLackedOn(executor, rights, name, false, NUMBER_TABLE, grants));
  return {
    ...(all.at(-1) as LackingRights),
    needed: all.flatMap((one) => one.needed),
    forGuard: [],
    writers: all.flatMap(({ writers = [] }) => writers),
  };
}
