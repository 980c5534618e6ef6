import type { SwapFinding, SwapSide } from './facts.js';

/** Why no plan exists if one of the two is keyed; undefined if neither is, or both are of one family. */
export function keysFinding(from: SwapSide, to: SwapSide): SwapFinding | undefined {
  const [before, after] = [from, to].map(({ guarantees: { within } }) => within === 'key');
  if (before !== after) {
    const [was, becomes] = [before, after].map((keyed) =>
      keyed ? 'a sequence for each key' : 'one sequence',
    );
    const own =
      from.sequence !== undefined && from.sequence === to.sequence ? 'a "name" and a column' : 'a column';
    const advice = `two keys issue the same ids, so one sequence cannot go on for them, nor they for it: keep what there is, and give the other ${own} of its own`;
    return { about: 'keys', verdict: 'danger', from: was ?? '', to: becomes ?? '', advice };
  }
  if (!before || (from.sequence !== undefined && from.sequence === to.sequence)) return undefined;
  const advice =
    'each key would begin again: give both the same "name", "table" and "database", so that the keys go on where they are';
  return { about: 'keys', verdict: 'danger', from: 'one family', to: 'another one', advice };
}
