import { type ReignChange, type Row, readWholeNumber } from '@ids/store';
import type { KeyAnswer } from '../keyed-source.js';
import type { KeyState } from '../table/answers.js';

/** Ids of a key that are reserved. */
export type Granted = Extract<KeyAnswer, { readonly high: number }>;

/** What a statement did and found; keys by the ordinals of their requests. */
export interface Found {
  readonly granted: ReadonlyMap<number, Granted>;
  /** Whether the server is the one where the family was read. */
  readonly same: boolean;
  /** Where new keys start, if it was read. */
  readonly startAfter: number;
  /** Where the keys stand that exist, if it was read. */
  readonly stands: ReadonlyMap<number, KeyState>;
  /** A moment after the statement by the clock of the server, in milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * What the statement `grantId` has reserved, from the first row of its answer. Undefined if the answer is not
 * its own, or lacks some of the rows that it changed. `expiryOf`: when ids up to `high` expire.
 */
export function readGranted(
  [first]: readonly Row[],
  changed: number,
  grantId: string,
  expiryOf: (high: number, nowMs: number) => number | undefined,
): Map<number, Granted> | undefined {
  if (changed === 0) return new Map();
  if (String(first?.granted_by).toLowerCase() !== grantId) return undefined;
  const granted = new Map<number, Granted>();
  for (const entry of String(first?.granted).split(';').slice(0, -1)) {
    const [nth, high, was] = entry.split(' ');
    const newReign = was === 'failover' || was === 'restore' ? was : undefined;
    const last = readWholeNumber(high, 'max_id');
    const expiresAt = expiryOf(last, Number(first?.now_ms));
    const expiry = expiresAt === undefined ? {} : { expiresAt };
    granted.set(Number(nth), { high: last, isNew: was === 'new', newReign, ...expiry });
  }
  return granted.size === changed ? granted : undefined;
}

/** The rest of the answer, which only `stateStatement` has. */
export function readFound([first, ...rows]: readonly Row[], granted: Map<number, Granted>): Found {
  const read = first?.max_id !== undefined && first.max_id !== null;
  return {
    granted,
    same: granted.size > 0 || Number(first?.same ?? 1) === 1,
    nowMs: Number(first?.now_ms),
    startAfter: read ? readWholeNumber(first.max_id, 'max_id') : 0,
    stands: new Map(
      rows.map(({ nth, max_id, noticed, seconds, reigns, rate }) => {
        const change = (noticed ?? undefined) as ReignChange | undefined;
        const lost = { seconds: Number(seconds), reigns: Number(reigns), idsPerSecond: Number(rate) };
        return [Number(nth), { maxId: readWholeNumber(max_id, 'max_id'), change, ...lost }];
      }),
    ),
  };
}
