import type { AdaptiveStep } from './adaptive-step.js';
import type { HeldSegments } from './held-segments.js';
import { MAX_STEP } from './segment-size.js';

/**
 * How many ids to reserve now that `missing` more than are held are asked for: a step, and what is
 * missing on top of it where the rest of a step would be so little that the next refill were due at once.
 * Never so many that more than `maxIdsLost` are reserved and not given; and no more than asked for where
 * nothing is fetched ahead.
 */
export function refillSize(step: number, missing: number, held: HeldSegments, bounds: AdaptiveStep): number {
  if (bounds.onDemand) return Math.min(MAX_STEP, Math.max(step, missing));
  const restsOnStep = step - missing > bounds.lowWater;
  const wanted = restsOnStep ? step : step + missing;
  return Math.min(MAX_STEP, wanted, bounds.maxIdsLost - held.count);
}
