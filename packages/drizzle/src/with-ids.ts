import type { Id, IdGenerator } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { misuse } from './generator.js';

/**
 * Copies `rows` and gives an id to those that have none, from one batch: `db.insert(orders).values(await
 * withIds(ids, rows))`. For generators without `nextSync`, and for more rows than ids are in memory. `key` is
 * the name of the id in the rows, by default `id`.
 *
 * Rejects like `nextBatch`, and with `ERR_IDS_CONFIG` if `rows` is no array.
 */
export async function withIds<T extends Id, Row extends object, Key extends string = 'id'>(
  ids: IdGenerator<T>,
  rows: readonly Row[],
  key: Key = 'id' as Key,
): Promise<(Row & Record<Key, T>)[]> {
  if (!Array.isArray(rows)) throw misuse(`the rows of withIds must be an array, got ${formatValue(rows)}`);
  const copies = rows.map((row) => ({ ...row }) as Row & Record<Key, T>);
  const withoutId = copies.filter((row) => row[key] === undefined);
  const batch = await ids.nextBatch(withoutId.length);
  for (const [index, row] of withoutId.entries()) Object.assign(row, { [key]: batch[index] });
  return copies;
}
