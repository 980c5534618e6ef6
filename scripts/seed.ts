import { randomInt } from 'node:crypto';

/** fast-check prints these as they were given. */
const LARGEST = 2 ** 31 - 1;

/**
 * The seed of all properties of this run: that of `IDS_SEED`, or 1, so that a run shows the same twice. With
 * `IDS_SEED=random` it is drawn once, and put in the place of that word for the processes of this run.
 */
export function seedOfRun(): number {
  const { IDS_SEED: given = '1' } = process.env;
  const seed = given === 'random' ? randomInt(LARGEST) : Number(given);
  if (!/^(\d+|random)$/.test(given) || seed > LARGEST)
    throw new Error(`IDS_SEED must be "random" or a whole number from 0 to ${LARGEST}, got "${given}"`);
  if (given === 'random') process.env.IDS_SEED = String(seed);
  return seed;
}
