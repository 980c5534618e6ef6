import { IdError } from '@ids/core';
import type { DialectOption } from '@ids/store';

/** Throws `ERR_IDS_CONFIG` for SQLite, which has no gapless numbers. */
export function assertNotSqlite({ dialect }: DialectOption): void {
  if (dialect !== 'sqlite') return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    'the dialect of gapless numbers must be "postgres" or "mysql", got "sqlite"',
  );
}
