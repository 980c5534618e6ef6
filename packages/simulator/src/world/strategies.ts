import { Random } from '../random.js';

/**
 * Who gives the ids of a sequence: a hash in Redis, each process from segments of its
 * own, or some so and some so.
 */
export type SequenceUse = 'redis' | 'inproc' | 'mixed';
export type StrategyName = Exclude<SequenceUse, 'mixed'>;

/** Most of what can break is in Redis. */
const REDIS = Array.from({ length: 8 }, () => 'redis' as const);

export function drawUse(seed: number, name: string, aboutTable: boolean): SequenceUse {
  const random = new Random(seed, `use of ${name}`);
  // What Redis remembers hides what the table forgets.
  return aboutTable ? random.pick(['redis', 'inproc', 'mixed']) : random.pick([...REDIS, 'inproc', 'mixed']);
}

/** What a process takes for a sequence. */
export function strategyOf(seed: number, name: string, use: SequenceUse, process: number): StrategyName {
  if (use !== 'mixed') return use;
  return new Random(seed, `strategy of ${name} in ${process}`).pick(['redis', 'inproc']);
}
