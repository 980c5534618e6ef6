import { DEFAULT_TABLE } from '@ids/segment';
import { type Row, readWholeNumber } from '@ids/store';
import { type SqliteExecutor, type SqliteStatement, sqliteChangeIn } from '@ids/store/sqlite';
import { assertKey } from '../key.js';
import {
  assertRaisable,
  type DescribeKeyOptions,
  describedBy,
  type FoundRow,
  type KeyDescription,
  type RaiseKeyOptions,
  raiseKeyBy,
} from '../table/one-key.js';
import { keySkipsOf, skipIfBelow } from '../table/options.js';
import { groupNowIn, keyChangeIn, keyedSql, readFamily } from './family.js';
import { bearKeyStatement, keysStatement, raiseKeyStatement } from './statements.js';

/** `describeKey` on SQLite. Nobody can lock one key. */
export async function describeSqliteKey(
  executor: SqliteExecutor,
  family: string,
  key: string,
  { table = DEFAULT_TABLE, ...options }: DescribeKeyOptions = {},
): Promise<KeyDescription> {
  assertKey(key);
  const restore = skipIfBelow(keySkipsOf(options));
  const keyed = keyedSql(executor, table);
  const { id: home } = await keyed.sql.home();
  const ofFamily = await readFamily(keyed, family);
  const { text, values } = keysStatement(keyed.tables, family, [{ key, size: 1 }]);
  const [ofKey] = await keyed.sql.rows(text, values);
  const found = (row: Row, pending: FoundRow['pending']): FoundRow => ({
    maxId: readWholeNumber(row.max_id, 'max_id'),
    pending,
    skip: pending === undefined ? 0 : restore,
    superseded: false,
  });
  return describedBy(
    found(ofFamily, sqliteChangeIn(ofFamily, home)),
    ofKey && found(ofKey, keyChangeIn(ofKey, home)),
    undefined,
    groupNowIn(ofFamily),
  );
}

/** `raiseKey` on SQLite. */
export async function raiseSqliteKey(
  executor: SqliteExecutor,
  family: string,
  key: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false }: RaiseKeyOptions = {},
): Promise<number> {
  assertRaisable(key, floor);
  const { tables, sql } = keyedSql(executor, table);
  const { id: home } = await sql.home();
  const standAfter = async ({ text, values }: SqliteStatement): Promise<number | undefined> => {
    const [row] = await sql.rows(text, values, {}, home);
    return row && readWholeNumber(row.max_id, 'max_id');
  };
  return raiseKeyBy(family, key, floor, {
    group: groupNowIn(await readFamily({ tables, sql }, family)),
    raise: (above) => standAfter(raiseKeyStatement(tables, family, key, above, checked ? home : undefined)),
    bear: (above) => standAfter(bearKeyStatement(tables, family, key, above, { home, checked })),
  });
}
