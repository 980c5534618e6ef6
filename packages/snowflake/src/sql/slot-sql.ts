import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/segment/sql';
import { isSerializationFailure, type Row, sqlError } from '@ids/segment/table';
import type { CallOptions } from '../slot-table.js';
import { SLOT_TABLE } from './slot-schema.js';

/** Under REPEATABLE READ, statements that look for a free slot may collide a few times in a row. */
const SERIALIZATION_ATTEMPTS = 10;

export interface SqlRow {
  readonly row: Row | undefined;
  readonly notices: readonly string[];
}

/** Runs statements on one slot table; what fails is explained, with the name of the table. */
export class SlotSql {
  readonly table: string;
  readonly #executor: SqlExecutor;

  constructor(executor: SqlExecutor, table: string) {
    this.table = table;
    this.#executor = executor;
  }

  /** Whether the database runs in this process. */
  get embedded(): boolean {
    return this.#executor.embedded === true;
  }

  /** The first row. */
  async run(text: string, values: readonly unknown[], options?: CallOptions): Promise<SqlRow> {
    const { rows, notices } = await this.rows(text, values, options);
    return { row: rows[0], notices };
  }

  async rows(text: string, values: readonly unknown[], { signal }: CallOptions = {}) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#executor.execute(text, values, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt < SERIALIZATION_ATTEMPTS && isSerializationFailure(error)) continue;
        throw sqlError(error, this.table, values, SLOT_TABLE);
      }
    }
  }

  named(text: string): string {
    return `${SLOT_TABLE.what} ${this.table}: ${text}`;
  }
}

/** Drivers return a BIGINT as a string, a bigint or, with a parser of the user's own, a number. */
export function readMs(value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0 && String(number) === String(value)) return number;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a time in the slot table must be a whole number of milliseconds, got ${String(value)}`,
  );
}
