import type { Row } from '@ids/store';
import { readMs } from './slot-state.js';

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

/** What entries of the log, the latest first, say about an id. */
export function provenanceOf(rows: readonly Row[]): Provenance {
  const [latest, ...earlier] = rows.map(readGrant);
  return latest === undefined
    ? { status: 'not-logged' }
    : { status: 'granted', grants: [latest, ...earlier] };
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
