import type { Guarantees } from './guarantees.js';

/** Returns `guarantees` frozen, with all that is in it: a promise that a caller could edit would be none. */
export function defineGuarantees(guarantees: Guarantees): Guarantees {
  for (const part of Object.values(guarantees)) Object.freeze(part);
  return Object.freeze(guarantees);
}
