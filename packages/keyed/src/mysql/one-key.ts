import { DEFAULT_TABLE } from '@ids/segment';
import { readPace, readWholeNumber } from '@ids/store';
import {
  changeIn,
  isDenied,
  laneOf,
  type MysqlExecutor,
  mysqlSkips,
  type TableSql,
  tableSql,
} from '@ids/store/mysql';
import { assertKey } from '../key.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import {
  assertRaisable,
  type DescribeKeyOptions,
  describeKeyBy,
  describing,
  type KeyDescription,
  type RaiseKeyOptions,
  raiseKeyBy,
} from '../table/one-key.js';
import { mysqlGroupOfNow } from './group-now.js';
import { tablesOf } from './key-table.js';
import {
  bearKeyStatement,
  markStatement,
  raiseKeyStatement,
  standsStatement,
  unlockedStatement,
} from './one-key-statements.js';
import { keyStatement } from './statements.js';

const UNKNOWN_HOLDER = 'another transaction; information_schema.INNODB_TRX lists those under way';

/** `describeKey` on MySQL. */
export async function describeMysqlKey(
  executor: MysqlExecutor,
  family: string,
  key: string,
  options?: DescribeKeyOptions,
): Promise<KeyDescription> {
  assertKey(key);
  const { table, keys, skips } = describing(options);
  const [tables, after] = [tablesOf(table), mysqlSkips(skips)];
  const sql = tableSql(executor, keys, KEY_TABLE);
  return describeKeyBy(family, {
    table,
    group: await mysqlGroupOfNow(executor, family, table),
    rows: await sql.rows(standsStatement(tables, family, key)),
    skips: after,
    read: (row) => ({
      maxId: readWholeNumber(row.max_id, 'max_id'),
      pending: changeIn(row),
      superseded: false,
      secondsLost: readWholeNumber(row.seconds_lost, 'seconds_lost'),
      reignsLost: readWholeNumber(row.reigns_lost, 'reigns_lost'),
      loss: { lane: laneOf(row.here_server), pace: readPace(row) },
    }),
    holder: async () =>
      (await isLocked(sql, unlockedStatement(tables, family, key))) ? UNKNOWN_HOLDER : undefined,
  });
}

/** Whether somebody has locked the row of a key that has one; false for an account that may not lock it. */
async function isLocked(sql: TableSql, unlocked: string): Promise<boolean> {
  try {
    return (await sql.rows(unlocked)).length === 0;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

/** `raiseKey` on MySQL. */
export async function raiseMysqlKey(
  executor: MysqlExecutor,
  family: string,
  key: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false }: RaiseKeyOptions = {},
): Promise<number> {
  assertRaisable(key, floor);
  const tables = tablesOf(table);
  const sql = tableSql(executor, keyTableOf(table), KEY_TABLE);
  // Undefined also if it is lower: somebody else has made the key since it was to be raised or made.
  const standAbove = async (above: number): Promise<number | undefined> => {
    const [row] = await sql.rows(keyStatement(tables, family, key));
    const stands = row && readWholeNumber(row.max_id, 'max_id');
    return stands !== undefined && stands >= above ? stands : undefined;
  };
  return raiseKeyBy(family, key, floor, {
    group: await mysqlGroupOfNow(executor, family, table),
    raise: async (above) => {
      await sql.commit(raiseKeyStatement(tables, family, key, above, checked));
      return standAbove(above);
    },
    bear: async (above) => {
      await sql.commit(bearKeyStatement(tables, family, key, above, checked));
      if (!checked) await sql.commit(markStatement(tables, family, key));
      return standAbove(above);
    },
  });
}
