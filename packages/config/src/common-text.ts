import { type CharacterRange, type PatternNode, readPattern } from './text-pattern.js';

/** A state of an automaton: texts go on from it by a character, or without one. */
interface State {
  readonly steps: { readonly ranges: readonly CharacterRange[]; readonly to: State }[];
  readonly free: State[];
}

/** Above this an automaton costs more than its answer is worth. */
const MOST_STATES = 2_000;

/**
 * Whether some text of at most `maxLength` characters matches both patterns; undefined for a pattern that
 * cannot be read here, such as one with a look-ahead or without its anchors.
 */
export function haveCommonText(a: RegExp, b: RegExp, maxLength: number): boolean | undefined {
  const [first, second] = [automatonOf(a), automatonOf(b)];
  if (first === undefined || second === undefined) return undefined;
  const seen = new Map<State, Set<State>>();
  let pairs = pairsOf([first.start], [second.start], seen);
  for (let length = 0; pairs.length > 0 && length <= maxLength; length++) {
    if (pairs.some(([one, other]) => one === first.end && other === second.end)) return true;
    pairs = pairs.flatMap(([one, other]) =>
      one.steps.flatMap((step) =>
        other.steps
          .filter(({ ranges }) => overlap(step.ranges, ranges))
          .flatMap(({ to }) => pairsOf([step.to], [to], seen)),
      ),
    );
  }
  return false;
}

/** The pairs of states that are reached without a character, those that were not met before. */
function pairsOf(ones: State[], others: State[], seen: Map<State, Set<State>>): [State, State][] {
  return closureOf(ones).flatMap((one) => {
    const met = seen.get(one) ?? new Set();
    seen.set(one, met);
    const fresh = closureOf(others).filter((other) => !met.has(other));
    for (const other of fresh) met.add(other);
    return fresh.map((other): [State, State] => [one, other]);
  });
}

function closureOf(states: readonly State[]): State[] {
  const reached = new Set(states);
  for (const { free } of reached) for (const state of free) reached.add(state);
  return [...reached];
}

function overlap(a: readonly CharacterRange[], b: readonly CharacterRange[]): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
}

function automatonOf(pattern: RegExp): { start: State; end: State } | undefined {
  const node = readPattern(pattern);
  if (node === undefined || sizeOf(node) > MOST_STATES) return undefined;
  const end: State = { steps: [], free: [] };
  return { start: before(end, node), end };
}

function sizeOf(node: PatternNode): number {
  if (node.kind === 'characters') return 1;
  if (node.kind !== 'repeat') return node.parts.reduce((sum, part) => sum + sizeOf(part), 1);
  return 1 + sizeOf(node.part) * (Number.isFinite(node.most) ? node.most : node.least + 1);
}

/** The state from which a text of `node` leads to `next`. */
function before(next: State, node: PatternNode): State {
  if (node.kind === 'characters') return { steps: [{ ranges: node.ranges, to: next }], free: [] };
  if (node.kind === 'all') return node.parts.reduceRight(before, next);
  if (node.kind === 'any') return { steps: [], free: node.parts.map((part) => before(next, part)) };
  const { part, least, most } = node;
  let state: State = { steps: [], free: [next] };
  if (most === Number.POSITIVE_INFINITY) state.free.push(before(state, part));
  else
    for (let left = most - least; left > 0; left--) state = { steps: [], free: [before(state, part), next] };
  for (let left = least; left > 0; left--) state = before(state, part);
  return state;
}
