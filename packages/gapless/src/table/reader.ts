import { IdError } from '@ids/core';
import type { Row, SqlExecutor } from '@ids/store';
import { hasCode } from '../failure-codes.js';

/** Runs statements that only read. `what` begins the message of an error: `audit of invoices`. */
export function readerOf(executor: SqlExecutor, what: string): (text: string) => Promise<Row[]> {
  return async (text) => {
    try {
      return [...(await executor.execute(text, [])).rows];
    } catch (error) {
      const config =
        hasCode(error, '42P01', '42703', '42501', '3F000', '1146', '1054', '1142', '1143') ||
        /no such (table|column)/.test(String(error));
      throw new IdError(
        config ? 'ERR_IDS_CONFIG' : 'ERR_IDS_UNAVAILABLE',
        `${what}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  };
}
