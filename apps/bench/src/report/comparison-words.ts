import type { Change, Comparison } from '../result.js';
import { times } from './format.js';

/**
 * `faster: objectid, in bursts vs bson ObjectId: 2.10x, was 1.80x` for all that
 * changed, and how many did not.
 */
export function comparisonLines({ changes }: Comparison): string[] {
  const changed = changes.filter(({ verdict }) => verdict !== 'tie');
  const ties = changes.length - changed.length;
  return [...changed.map(lineOf), `tie: ${ties} of ${changes.length} ratios, whose intervals touch`];
}

function lineOf({ verdict, what, control, before, after }: Change): string {
  return `${verdict}: ${what} vs ${control}: ${times(after.median)}x, was ${times(before.median)}x`;
}
