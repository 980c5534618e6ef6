import { assertKey } from '../key.js';
import type { KeyedSource } from '../keyed-source.js';
import { CROSSINGS, unsettled } from './answers.js';
import type { DeleteKeyOptions } from './dialect.js';

/** What deletes the row of a key. */
interface Deletion extends Pick<DeleteKeyOptions, 'mayRepeat'> {
  readonly source: KeyedSource;
  readonly table: string;
  /**
   * Deletes the row, and raises the family to it unless it may repeat. False if there is none, or if it may
   * have lost ids: if it is not of the reign of the server.
   */
  readonly remove: () => Promise<boolean>;
  /** Deletes what the grant log says about the key, if there is one. */
  readonly removeLog: () => Promise<void>;
}

/**
 * `deleteKey`, in any database. A reservation comes first: after a restore or a failover, it skips what the
 * row of the key does not show, or refuses.
 */
export async function deleteKeyBy(family: string, key: string, deletion: Deletion): Promise<boolean> {
  assertKey(key);
  await deletion.source.describe(family);
  const deleted = await removeRow(family, key, deletion);
  // Also if the row is gone: whoever deleted it may have come no further.
  await deletion.removeLog();
  return deleted;
}

async function removeRow(
  family: string,
  key: string,
  { source, table, remove, mayRepeat = false }: Deletion,
): Promise<boolean> {
  for (let crossing = 0; crossing <= CROSSINGS; crossing++) {
    if ((await source.highest(family, key)) === undefined) return false;
    if (!mayRepeat) {
      // Makes no key: it may have been deleted since.
      const { keys } = await source.reserve(family, [{ key, size: 1 }], { wait: true, newKeys: 0 });
      const [answer] = keys;
      if (answer !== undefined && 'refused' in answer) throw answer.refused;
    }
    if (await remove()) return true;
  }
  throw unsettled(family, table);
}
