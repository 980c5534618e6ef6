import type { SqlExecutor } from '@ids/segment/sql';
import { quotedTable } from '@ids/segment/sql';
import { assertSequenceName, logTableOf, type Row, runOn } from '@ids/segment/table';
import { type Layout, partsOf } from '../layout.js';
import { DEFAULT_SLOT_TABLE, SLOT_TABLE, type SlotTableOptions } from './slot-schema.js';
import { readMs } from './slot-sql.js';

/** An entry of the grant log: `owner` was granted the time from `from` up to `until` in `slot`. */
export interface Grant {
  readonly slot: number;
  readonly from: Date;
  readonly until: Date;
  readonly owner: string;
  /** By the database's clock. */
  readonly grantedAt: Date;
}

/** What the grant log knows about an id. */
export type Provenance =
  /**
   * The time of the id was granted; whether the id was used, only the owner knows. If there is more than one
   * grant, the latest first, the table went back in between, and the id may have been issued twice.
   */
  | { readonly status: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }
  /**
   * No entry has this time and slot: it was never granted, granted without `log`, or its entry was deleted.
   */
  | { readonly status: 'not-logged' };

/**
 * Who was granted the time of an id, and when. Rejects with `ERR_IDS_CONFIG` if there is no log. Needs
 * `SELECT` on the log. Rejects with a `RangeError` unless `id` fits the layout.
 */
export async function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint | string,
  layout: Layout,
  { table = DEFAULT_SLOT_TABLE }: SlotTableOptions = {},
): Promise<Provenance> {
  assertSequenceName(name);
  const parts = readable(id) ? partsOf(BigInt(id), layout) : undefined;
  if (parts === undefined)
    throw new RangeError(`id must be a whole number that fits the layout, got ${String(id)}`);
  const text = `
SELECT slot, from_ms, until_ms, owner, (1000 * extract(epoch FROM granted_at))::text AS granted_ms
FROM ${quotedTable(logTableOf(table)).table}
WHERE name = $1 AND slot = $2::int AND from_ms <= $3::bigint AND until_ms > $3::bigint ORDER BY granted_at DESC`;
  const { rows } = await runOn(executor, table, SLOT_TABLE)(text, [name, parts.slot, parts.timeMs]);
  const [latest, ...earlier] = rows.map(readGrant);
  return latest === undefined
    ? { status: 'not-logged' }
    : { status: 'granted', grants: [latest, ...earlier] };
}

function readable(id: number | bigint | string): boolean {
  return typeof id === 'number' ? Number.isSafeInteger(id) : /^\d+$/.test(String(id));
}

function readGrant({ slot, from_ms: from, until_ms: until, owner, granted_ms: grantedMs }: Row): Grant {
  return {
    slot: Number(slot),
    from: new Date(readMs(from)),
    until: new Date(readMs(until)),
    owner: String(owner),
    grantedAt: new Date(Number(grantedMs)),
  };
}
