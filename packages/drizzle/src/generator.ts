import { type Id, IdError, type IdGenerator, isSyncGenerator, isUuid } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/** What a column has to hold. Throws `ERR_IDS_CONFIG` if `ids` is no generator. */
export function formOf(ids: IdGenerator): 'number' | 'bigint' | 'uuid' | 'string' {
  const guarantees: IdGenerator['guarantees'] | undefined = Object(ids).guarantees;
  if (guarantees === undefined)
    throw misuse(`the ids of a column must come from a generator, got ${formatValue(ids)}`);
  if (guarantees.idType !== 'string') return guarantees.idType;
  return isUuid(guarantees.text) ? 'uuid' : 'string';
}

/** For `$defaultFn`. Throws `ERR_IDS_CONFIG` if `ids` has no `nextSync`. */
export function defaultOf<T extends Id>(ids: IdGenerator<T>): () => T {
  if (isSyncGenerator(ids)) return () => ids.nextSync();
  throw misuse(
    `Drizzle makes default values without waiting, which "${ids.strategy}" cannot: declare the column by plainIdColumn(ids), and insert await withIds(ids, rows)`,
  );
}

/**
 * For integers above 2^53 that come as numbers, rounded: from drivers that were not told otherwise, and from
 * JSON, as which relational queries get the rows below others. `setting` is what to tell the driver.
 */
export function exactBigint(setting?: string): (value: bigint | number | string) => bigint {
  const ofDriver = setting === undefined ? '' : `${setting}; `;
  return (value) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return BigInt(value);
    throw misuse(
      `the id ${value} was rounded: ${ofDriver}read nested rows by "select" and a join, since "with" gets them as JSON`,
    );
  };
}

export function misuse(message: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `drizzle: ${message}`);
}
