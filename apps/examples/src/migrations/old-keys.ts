import type { Pool } from 'pg';
import type { KeyColumn, OldRow } from './backfill.js';

/**
 * For the way back: the keys that rows had before the migration, and new ones of the old kind for rows that
 * had none. `type` is that of `uid`.
 */
export function oldKeysFrom(pool: Pool, type: KeyColumn['type'], newKey: () => string) {
  return async (rows: readonly OldRow[]): Promise<string[]> => {
    const { rows: kept } = await pool.query<{ uid: string; id: string }>(
      `SELECT uid, id FROM order_old_ids WHERE uid = ANY($1::${type}[])`,
      [rows.map(({ key }) => key)],
    );
    const ids = new Map(kept.map(({ uid, id }) => [uid, id]));
    return rows.map(({ key }) => ids.get(key) ?? newKey());
  };
}
