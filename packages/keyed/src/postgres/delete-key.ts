import { DEFAULT_TABLE } from '@ids/segment';
import { logTableOf, quotedTable, type SqlExecutor } from '@ids/store';
import { assertReplicated, rowsOf, runOn, withBestGuard } from '@ids/store/postgres';
import { keyToHex } from '../key.js';
import { deleteKeyBy } from '../table/delete-key.js';
import type { DeleteKeyOptions } from '../table/dialect.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import { PostgresKeyedSource } from './keyed-source.js';
import { deleteStatement } from './statement.js';

/** `deleteKey` on Postgres. */
export async function deleteKey(
  executor: SqlExecutor,
  family: string,
  key: string,
  { mayRepeat = false, table = DEFAULT_TABLE, ...options }: DeleteKeyOptions = {},
): Promise<boolean> {
  const names = { segments: table, keys: keyTableOf(table) };
  const run = runOn(executor, names.keys, KEY_TABLE);
  const remove = async (): Promise<boolean> => {
    const { result } = await withBestGuard(rowsOf(run), (guard) =>
      run(deleteStatement(names, guard, !mayRepeat), [family, keyToHex(key)]),
    );
    assertReplicated(result.notices, family, 'deleteKey has to be repeated');
    return result.rows.length > 0;
  };
  return deleteKeyBy(family, key, {
    source: new PostgresKeyedSource(executor, { table, ...options }),
    table,
    removeLog: async () => {
      const log = quotedTable(logTableOf(names.keys)).table;
      const { rows } = await run('SELECT to_regclass($1) IS NOT NULL AS found', [log]);
      if (rows[0]?.found !== true) return;
      const text = `DELETE FROM ${log} WHERE family = $1 AND sequence_key = decode($2, 'hex')`;
      await run(text, [family, keyToHex(key)]);
    },
    remove,
    mayRepeat,
  });
}
