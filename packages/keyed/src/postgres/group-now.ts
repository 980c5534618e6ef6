import type { OpenGroup } from '@ids/segment';
import { GROUP_NOW, readGroup } from '@ids/segment/sql';
import { quotedTable, readWholeNumber, type SqlExecutor } from '@ids/store';
import { type Run, rowsOf, runOn } from '@ids/store/postgres';
import { noSuchFamily } from '../keyed-source.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

/**
 * The group of a family that is now; undefined if it has none. Changes nothing. Each answer is by the clock
 * of the server that was asked, and of the moment at which it was.
 */
export async function readGroupNow(
  run: Run,
  segments: string,
  family: string,
): Promise<OpenGroup | undefined> {
  const text = `SELECT group_by, time_zone, ${GROUP_NOW} FROM ${quotedTable(segments).table} WHERE server_name = $1`;
  const [row] = await run(text, [family]);
  if (row === undefined) throw noSuchFamily(family, `table ${segments}`);
  const group = readGroup(row);
  if (group === undefined) return undefined;
  return {
    ...group,
    base: readWholeNumber(row.group_base, 'group_base'),
    limit: readWholeNumber(row.group_limit, 'group_limit'),
  };
}

/** `groupNow` on Postgres. */
export function groupNow(
  executor: SqlExecutor,
  family: string,
  table: string,
): Promise<OpenGroup | undefined> {
  return readGroupNow(rowsOf(runOn(executor, keyTableOf(table), KEY_TABLE)), table, family);
}
