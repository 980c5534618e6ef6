import { IdError } from '@ids/core';
import { abortable, formatValue } from '@ids/core/strategy';
import type { Row } from '../executor.js';
import { whileBusy } from './busy.js';
import type { SqliteExecutor, SqliteHome } from './executor.js';

/** The storage of a Durable Object: `ctx.storage`. */
export interface DurableObjectStorageLike {
  readonly sql: { exec(sql: string, ...values: unknown[]): { toArray(): Row[] } };
  sync(): Promise<void>;
}

/** The same for each object: its id does not change when it is restored. */
const HOME: SqliteHome = {
  id: 'durable-object',
  warnings: [
    'a point-in-time recovery of a Durable Object is not noticed, and ids are issued again: raise each sequence with setFloor after one',
  ],
};

/**
 * Runs statements in the storage of a Durable Object of a class that is backed by SQLite. `close` does
 * nothing. Do not ask for ids inside `transaction` or `transactionSync`: a rollback would take the
 * reservation back.
 */
export function fromDurableObject(storage: DurableObjectStorageLike): SqliteExecutor {
  if (typeof Object(storage).sync !== 'function') {
    throw new TypeError(
      `fromDurableObject takes ctx.storage of a Durable Object, got ${formatValue(storage)}`,
    );
  }
  return {
    dialect: 'sqlite',
    execute: (text, values, signal) =>
      whileBusy(async () => {
        const rows = sqlOf(storage)
          .exec(text, ...values)
          .toArray();
        // `exec` returns before the write is durable. The output gate holds back what leaves the object until
        // then, but no more than that: an id that was logged, or given to code in the object, would be issued
        // again after a crash. Reservations are rare, so they wait.
        await abortable(storage.sync(), signal);
        return { rows, notices: [] };
      }, signal),
    home: async () => HOME,
    close: async () => {},
  };
}

/** The property throws where the class of the object has no SQLite. */
function sqlOf(storage: DurableObjectStorageLike): DurableObjectStorageLike['sql'] {
  try {
    return storage.sql;
  } catch (cause) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'the Durable Object is not backed by SQLite: list its class in new_sqlite_classes of the migrations',
      { cause },
    );
  }
}
