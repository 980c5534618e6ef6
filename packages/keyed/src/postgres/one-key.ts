import { isIdError } from '@ids/core';
import { DEFAULT_TABLE } from '@ids/segment';
import { type Row, readChange, readPace, readWholeNumber, type SqlExecutor } from '@ids/store';
import {
  assertReplicated,
  isUnsupported,
  type Run,
  rowsOf,
  runOn,
  type UsableGuard,
  withBestGuard,
} from '@ids/store/postgres';
import { assertKey, keyToHex } from '../key.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import {
  assertRaisable,
  type DescribeKeyOptions,
  describeKeyBy,
  describing,
  type KeyDescription,
  type RaiseKeyOptions,
  type ReadRow,
  raiseKeyBy,
} from '../table/one-key.js';
import { readGroupNow } from './group-now.js';
import {
  bearKeyStatement,
  holderStatement,
  raiseKeyStatement,
  standsStatement,
} from './one-key-statements.js';

/** `describeKey` on Postgres. */
export async function describeKey(
  executor: SqlExecutor,
  family: string,
  key: string,
  options?: DescribeKeyOptions,
): Promise<KeyDescription> {
  assertKey(key);
  const { table, keys, skips } = describing(options);
  const names = { segments: table, keys };
  const run = rowsOf(runOn(executor, keys, KEY_TABLE));
  const values = [family, keyToHex(key)];
  const group = await readGroupNow(run, table, family);
  const { result: rows } = await withBestGuard(run, (guard) => run(standsStatement(names, guard), values));
  const holder = () => holderOf(run, keys, family, key);
  return describeKeyBy(family, { table, group, rows, skips, read: readStanding, holder });
}

function readStanding(row: Row): ReadRow {
  const pace = readPace(row);
  return {
    maxId: readWholeNumber(row.max_id, 'max_id'),
    pending: readChange(row.change),
    timelines: row.timelines === null ? undefined : Number(row.timelines),
    superseded: row.superseded === true,
    secondsLost: readWholeNumber(row.seconds_lost, 'seconds_lost'),
    reignsLost: readWholeNumber(row.reigns_lost, 'reigns_lost'),
    ...(pace && { loss: { pace, lane: Number(row.lane) } }),
  };
}

/** Who has locked the row of a key; undefined also for a role that may not see it. */
async function holderOf(run: Run, keys: string, family: string, key: string): Promise<string | undefined> {
  try {
    const [row] = await run(holderStatement(keys), [family, keyToHex(key)]);
    return row && String(row.holder);
  } catch (error) {
    if (isIdError(error) && isUnsupported(error.cause)) return undefined;
    throw error;
  }
}

/** `raiseKey` on Postgres. */
export async function raiseKey(
  executor: SqlExecutor,
  family: string,
  key: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false }: RaiseKeyOptions = {},
): Promise<number> {
  assertRaisable(key, floor);
  const names = { segments: table, keys: keyTableOf(table) };
  const execute = runOn(executor, names.keys, KEY_TABLE);
  const run = rowsOf(execute);
  const send = async (
    statement: (guard: UsableGuard) => string,
    above: number,
  ): Promise<number | undefined> => {
    const attempt = (guard: UsableGuard) => execute(statement(guard), [family, keyToHex(key), above]);
    const { result } = await withBestGuard(run, attempt);
    assertReplicated(result.notices, family, 'raiseKey has to be repeated');
    const [row] = result.rows;
    return row && row.max_id !== null ? readWholeNumber(row.max_id, 'max_id') : undefined;
  };
  return raiseKeyBy(family, key, floor, {
    group: await readGroupNow(run, table, family),
    raise: (above) => send((guard) => raiseKeyStatement(names, guard, checked), above),
    bear: (above) => send((guard) => bearKeyStatement(names, guard, checked), above),
  });
}
