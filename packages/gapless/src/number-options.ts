import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { assertKey, MAX_KEY_BYTES } from '@ids/keyed';
import { assertSequenceName } from '@ids/store';
import { DEFAULT_NUMBER_TABLE, seriesTableOf } from './table/names.js';
import type { AfterLoss, NumberRequest } from './table/request.js';

export interface NumberOptions {
  /** The table of the numbers, `table` or `schema.table`; default `id_number`. */
  readonly table?: string | undefined;
  /**
   * How long to wait for a key that another transaction has taken a number of, in milliseconds from 1 to
   * 86,400,000; default 10,000. MySQL waits for whole seconds.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * What happens after a standby was promoted: `continue`, the default, or `refuse` until `acceptSeries` is
   * called. The row of the key and the rows with its numbers go back together, so continuing leaves no gap
   * and repeats no number in the database. `refuse` is for documents that have left the database, which may
   * lack them now.
   */
  readonly afterFailover?: AfterLoss | undefined;
  /** The same after a restore into another server, database or table. */
  readonly afterRestore?: AfterLoss | undefined;
}

/** The options of a call for one document. */
export interface TakeOptions extends NumberOptions {
  /**
   * The document that the number is for, such as `order-7`: 1 to 255 bytes in UTF-8. Once a transaction with
   * it has committed, each later call with it gets the same number. It belongs to one document in the whole
   * series: with another key or count, it is refused.
   */
  readonly reference?: string | undefined;
}

/** A series and the options of its requests: `ids.series(name)` of `@ids/config` returns one. */
export interface Series extends NumberOptions {
  readonly name: string;
}

/** A request that holds to every rule. Throws `ERR_IDS_CONFIG`, a `TypeError` or a `RangeError` otherwise. */
export function requestOf(
  series: string | Series,
  key: string,
  count: number,
  options: TakeOptions,
): NumberRequest {
  const own: Partial<Series> = typeof series === 'string' ? { name: series } : Object(series);
  const name = own.name as string;
  const table = options.table ?? own.table ?? DEFAULT_NUMBER_TABLE;
  const deadlineMs = options.deadlineMs ?? own.deadlineMs ?? 10_000;
  const afterFailover = options.afterFailover ?? own.afterFailover;
  const afterRestore = options.afterRestore ?? own.afterRestore;
  assertSequenceName(name);
  assertKey(key);
  seriesTableOf(table);
  const { reference } = options;
  if (reference !== undefined) assertReference(reference);
  if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > LONGEST_MS) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `option "deadlineMs": must be a whole number from 1 to ${LONGEST_MS}, got ${formatValue(deadlineMs)}`,
    );
  }
  const refuses = {
    failover: refusal('afterFailover', afterFailover),
    restore: refusal('afterRestore', afterRestore),
  };
  return { name, key, count, reference, table, deadlineMs, refuses };
}

/** As keys, but not empty: two documents without a name would be one. */
function assertReference(reference: string): void {
  if (typeof reference === 'string' && reference !== '' && Buffer.byteLength(reference) <= MAX_KEY_BYTES) {
    assertKey(reference);
    return;
  }
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "reference": must be a string of 1 to ${MAX_KEY_BYTES} bytes in UTF-8, got ${formatValue(reference)}`,
  );
}

const LONGEST_MS = 86_400_000;

function refusal(option: string, value: AfterLoss | undefined = 'continue'): boolean {
  if (value === 'refuse' || value === 'continue') return value === 'refuse';
  throw new IdError(
    'ERR_IDS_CONFIG',
    `option "${option}": must be "continue" or "refuse", got ${formatValue(value)}`,
  );
}
