import { DEFAULT_TABLE } from '@ids/segment';
import { segmentGrants } from '@ids/segment/sql';
import {
  type LackingRights,
  logTableOf,
  quotedRole,
  quotedTable,
  type SchemaOptions,
  type SqlExecutor,
} from '@ids/store';
import { PACE_COLUMNS, REIGN_COLUMNS, rightsLackedOn } from '@ids/store/postgres';
import type { KeyedGrantOptions } from '../table/dialect.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

const REIGN = [...Object.keys(REIGN_COLUMNS), ...Object.keys(PACE_COLUMNS)];
const READ = ['family', 'sequence_key', 'max_id'];
const INSERTED = [...READ, ...REIGN];
const LOGGED = ['family', 'sequence_key', 'low', 'high', 'owner'];

/** `keyedGrants` for Postgres. */
export function keyedGrants(role: string, options: KeyedGrantOptions = {}): string {
  return segmentGrants(role, { table: options.table }) + grantsOnKeys(role, options);
}

function grantsOnKeys(
  role: string,
  { table = DEFAULT_TABLE, log = false, deleteKeys = false }: KeyedGrantOptions,
): string {
  const { table: keys } = quotedTable(keyTableOf(table));
  const rights = [
    // `xmax` is for `describeKey`.
    `SELECT (${[...READ, ...REIGN, 'xmin', 'xmax'].join(', ')})`,
    `INSERT (${INSERTED.join(', ')})`,
    `UPDATE (max_id, ${REIGN.join(', ')})`,
    ...(deleteKeys ? ['DELETE'] : []),
  ];
  const to = `TO ${quotedRole(role)};\n`;
  const own = `GRANT ${rights.join(', ')} ON ${keys} ${to}`;
  if (!log) return own;
  const logged = [
    `INSERT (${LOGGED.join(', ')})`,
    ...(deleteKeys ? ['SELECT (family, sequence_key)', 'DELETE'] : []),
  ];
  return `${own}GRANT ${logged.join(', ')} ON ${quotedTable(logTableOf(keyTableOf(table))).table} ${to}`;
}

/** `lackingKeyRights` on Postgres. */
export async function lackingKeyRights(
  executor: SqlExecutor,
  { table = DEFAULT_TABLE, log = false }: SchemaOptions = {},
): Promise<LackingRights> {
  const columns = { read: READ, write: ['max_id'], insert: INSERTED, logged: LOGGED, deletes: true };
  return rightsLackedOn(executor, columns, keyTableOf(table), log, KEY_TABLE, (role) =>
    grantsOnKeys(role, { table, log }),
  );
}
