import { IdError } from '@ids/core';
import type { CallOptions, Row } from '@ids/store';
import { mysqlTable, type TableSql } from '@ids/store/mysql';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';
import type { Tables } from './statements.js';

/** The table `table` of the families, and the one of their keys. */
export function tablesOf(table: string): Tables {
  return { segments: mysqlTable(table), keys: mysqlTable(keyTableOf(table)) };
}

/**
 * Throws `ERR_IDS_CONFIG` unless the table of the keys, with its family as `row`, is on a server that is
 * durable.
 */
export async function assertKeyTable(sql: TableSql, row: Row, options: CallOptions): Promise<void> {
  if (row.engine === null) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${KEY_TABLE.what} ${sql.table} is missing, or the account has no right on it; create it with ${KEY_TABLE.create}, and grant what ${KEY_TABLE.grants} prints`,
    );
  }
  await sql.durableFacts({ ...row, here_table: row.here_keys }, options);
}
