import { DEFAULT_TABLE } from '@ids/segment';
import { segmentGrants } from '@ids/segment/sql';
import type { LackingRights, SchemaOptions } from '@ids/store';
import {
  type MysqlExecutor,
  mysqlGrantsOn,
  type NeededColumns,
  PACE_COLUMNS,
  rightsLackedByTrying,
  watched,
  watchedLog,
} from '@ids/store/mysql';
import type { KeyedGrantOptions } from '../table/dialect.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

const REIGN = ['reign_server', 'reign_table'];
const PACE = Object.keys(PACE_COLUMNS);
const BORN = ['seconds_lost', 'reigns_lost', 'minute_ids'];
const ANSWER = ['max_id', 'nth', 'grant_id', 'size', 'owner'];

/**
 * `reign_table` of a new row is for `raiseKey`. `deletion` is read so that it can be seen: a table without it
 * looks like one of another shape.
 */
function columnsOf(table: string, deleteKeys: boolean): NeededColumns {
  const deletion = deleteKeys ? ['deletion'] : [];
  return {
    table: keyTableOf(table),
    read: ['family', 'sequence_key', 'max_id', ...REIGN, 'deletion', ...PACE],
    written: [...ANSWER, 'noticed', ...PACE, ...REIGN, ...deletion],
    inserted: ['family', 'sequence_key', 'reign_table', ...BORN, ...ANSWER],
    deletes: deleteKeys,
  };
}

/**
 * `keyedGrants` for MySQL. Triggers write the reign of a new row and the log, tell the client what was
 * reserved, and raise the family of a key that is deleted.
 */
export function mysqlKeyedGrants(
  role: string,
  { table = DEFAULT_TABLE, log = false, deleteKeys = false }: KeyedGrantOptions = {},
): string {
  const keys = mysqlGrantsOn(role, columnsOf(table, deleteKeys));
  const own = segmentGrants(role, { table, dialect: 'mysql' }) + keys;
  if (!log || !deleteKeys) return own;
  const read = ['family', 'sequence_key'];
  return own + mysqlGrantsOn(role, { table: `${keyTableOf(table)}_log`, read, written: [], deletes: true });
}

/** `lackingKeyRights` on MySQL. The log needs no right: triggers write it. Services may delete keys. */
export function lackingMysqlKeyRights(
  executor: MysqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<LackingRights> {
  const tables = [watched(columnsOf(table, true)), ...(log ? [watchedLog(keyTableOf(table), true)] : [])];
  return rightsLackedByTrying(executor, columnsOf(table, false), KEY_TABLE, tables);
}
