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
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? at(beforePrevious, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(previous, j) + 1, at(row, j - 1) + 1, substitution, swap));
    }
    beforePrevious = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
