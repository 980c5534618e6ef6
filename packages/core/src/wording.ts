/**
 * Formats a value for an error message: short, on one line, and without the content of objects, which may
 * hold secrets.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 300));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** For schemas: the message for a value against `rule`, such as `must be true or false, got "yes"`. */
export function ruleMessage(rule: string): (issue: { readonly input: unknown }) => string {
  return ({ input }) => `${rule}, got ${formatValue(input)}`;
}

/**
 * The message for an unknown name: `unknown option "stpe" (did you mean "step"? known: name, step)`. Suggests
 * a name only if it is close enough to be a typo.
 */
export function unknownNameMessage(kind: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `did you mean "${nearest}"? `;
  return `unknown ${kind} "${name}" (${hint}known: ${known.join(', ') || 'none'})`;
}

/** The name in `known` that `name` is most likely a typo of; undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .filter((candidate) => distanceOf(name, candidate) <= Math.max(1, candidate.length / 3))
    .sort((a, b) => distanceOf(name, a) - distanceOf(name, b));
  return nearest;
}

/**
 * The number of characters between the common start and the common end of two names; a swap of two neighbours
 * counts as one. Finds one typo. A full edit distance would double the code shipped to browsers.
 */
function distanceOf(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  if (a[0] === b[0]) return distanceOf(a.slice(1), b.slice(1));
  if (a.at(-1) === b.at(-1)) return distanceOf(a.slice(0, -1), b.slice(0, -1));
  const swapped = a.length === 2 && b === `${a[1]}${a[0]}`;
  return swapped ? 1 : Math.max(a.length, b.length);
}
