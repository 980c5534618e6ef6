/**
 * The largest step with which at most `maxIdsLost` ids are reserved and not given at any moment: a
 * reservation in flight, and the half of the one before that is left when it is sent, rounded up.
 */
export function largestStepWithin(maxIdsLost: number): number {
  return Math.floor((maxIdsLost / 3) * 2);
}
