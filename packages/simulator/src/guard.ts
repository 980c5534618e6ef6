import type { Wraps } from './world/world.js';

/**
 * A guard of the protocol, and how it is switched off: its code is taken out of the scripts or the
 * statements, or something stands in its place.
 */
export interface Guard {
  readonly name: string;
  /** What stands where; the script in which the first one is found is meant. */
  readonly out: readonly (readonly [from: string, to: string])[];
  /** What changes a generator where its guard is in none of them. */
  readonly changeOptions?: Wraps['changeOptions'];
  readonly wrapHealth?: Wraps['wrapHealth'];
}
