import type { NewReign } from '@ids/segment';
import type { KeyedNotes } from './keyed-events.js';
import type { KeyAnswer } from './keyed-source.js';
import type { Lane } from './lane.js';

/** Ids that the source has reserved for a lane. */
export type Granted = Extract<KeyAnswer, { readonly high: number }>;

/** The journal of a family, and its name. */
export interface FamilyNotes {
  readonly name: string;
  readonly journal: KeyedNotes;
}

/** Whether a key has got its first ids. */
export function hasBegun(answer: KeyAnswer): boolean {
  return 'high' in answer && answer.isNew;
}

/** Notes what one request has got, each with the lane that it is for. */
export function noteGranted(
  granted: readonly (readonly [Lane<unknown>, Granted])[],
  tookMs: number,
  { name, journal }: FamilyNotes,
): void {
  if (granted.length === 0) return;
  const changed = new Map<NewReign['cause'], string[]>();
  let [ids, newKeys] = [0, 0];
  for (const [{ key, size }, { isNew, newReign }] of granted) {
    ids += size;
    if (isNew) newKeys += 1;
    if (newReign !== undefined) changed.set(newReign, [...(changed.get(newReign) ?? []), key]);
  }
  journal.emit({ type: 'reserve', name, keys: granted.length, newKeys, ids, tookMs });
  for (const [cause, keys] of changed) journal.emit({ type: 'new-reign', name, cause, keys });
}

/** Gives a lane its ids, and notes those that nobody gets. */
export function giveGranted(
  lane: Lane<unknown>,
  { high, ids }: Granted,
  { name, journal }: FamilyNotes,
): void {
  const { key, size, top: floor } = lane;
  const segment = { low: high - size + 1, high };
  const rest = lane.giveUpTo(high, ids);
  if (rest === undefined) {
    journal.emit({ type: 'regression', name, key, floor, segment });
    journal.emit({ type: 'discard', name, key, segment, reason: `ids up to ${floor} were here before` });
  } else if (rest > 0) {
    const dropped = { low: high - rest + 1, high };
    journal.emit({ type: 'discard', name, key, segment: dropped, reason: 'its callers had given up' });
  }
}
