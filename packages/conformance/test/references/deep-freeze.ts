/**
 * Freezes a plain object and what it holds, so that no user of a generator can change what all of them claim.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
