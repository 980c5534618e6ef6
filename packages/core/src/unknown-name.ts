/**
 * The sentence for a name that is not known: `unknown option "stpe" (did you mean "step"? known: name, step)`.
 * A name is suggested only when it is near enough to be a slip of the keyboard.
 */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  const hint = nearest === undefined ? '' : `did you mean "${nearest.candidate}"? `;
  return `unknown ${kind} "${name}" (${hint}known: ${known.join(', ')})`;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1 each. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = at(i - 2, swapped ? j - 2 : -1) + 1;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, substitution, swap));
    }
  }
  return at(a.length, b.length);
}
