/**
 * A value for an error message: short, in one line, and never the inside of an object,
 * which may hold a secret.
 */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 300));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/**
 * The sentence for a name that is not known: `unknown option "stpe" (did you mean "step"? known: name,
 * step)`. A name is suggested only when it is near enough to be a slip of the keyboard.
 */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `did you mean "${nearest}"? `;
  return `unknown ${kind} "${name}" (${hint}known: ${known.join(', ')})`;
}

/** The known name that `name` is most likely meant to be; undefined where none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .filter((candidate) => distanceOf(name, candidate) <= Math.max(1, candidate.length / 3))
    .sort((a, b) => distanceOf(name, a) - distanceOf(name, b));
  return nearest;
}

/**
 * How many characters lie between what two names share at the start and what they share at the end; two that
 * are swapped count as one. A hand slips in one place: to find two slips as well, as the edit distance does,
 * takes twice the code in every page.
 */
function distanceOf(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  if (a[0] === b[0]) return distanceOf(a.slice(1), b.slice(1));
  if (a.at(-1) === b.at(-1)) return distanceOf(a.slice(0, -1), b.slice(0, -1));
  const swapped = a.length === 2 && b === `${a[1]}${a[0]}`;
  return swapped ? 1 : Math.max(a.length, b.length);
}
