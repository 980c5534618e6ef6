/** A segment of a key should last this long, in milliseconds; once to twice. As those of one sequence. */
const TARGET_MS = 600_000;
/** One that lasted less than this was far too small: the key is in heavy use. */
const BURST_MS = 1_000;

export interface StepLimits {
  readonly minStep: number;
  readonly maxStep: number;
  /** The most ids of a key that may be reserved but not taken; `Infinity`: no limit. */
  readonly maxIdsLost: number;
}

/**
 * How many ids of a key to reserve for a call that wants `wanted`, or for nobody yet if it is 0. `step` is
 * how many were reserved last, 0 if that is not known, `ageMs` how long ago, and `left` how many there are.
 * Twice as many if they were used up soon, eight times as many if at once, half as many if they lasted long.
 */
export function nextSize(
  { step, ageMs, left }: { readonly step: number; readonly ageMs: number; readonly left: number },
  wanted: number,
  { minStep, maxStep, maxIdsLost }: StepLimits,
): number {
  const factor = ageMs < BURST_MS ? 8 : ageMs < TARGET_MS ? 2 : ageMs > 2 * TARGET_MS ? 0.5 : 1;
  // Up to half a step is left when the next one comes without a call that waits for it.
  const most = Math.min(maxStep, Math.floor((maxIdsLost * 2) / 3), maxIdsLost - left);
  return Math.max(1, wanted - left, Math.min(most, Math.max(minStep, Math.floor(step * factor))));
}
