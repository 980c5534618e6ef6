import { Random } from '../random.js';
import type { FaultName } from './fault-names.js';
import { type PlannedFault, scatterFaults } from './scatter-faults.js';

/**
 * What some seeds are about, since chance alone rarely brings it together: processes that are killed with a ticket under a clock
 * that steps; a running Redis that is wound back; a table and a Redis that forget at the same time.
 */
export type Special = 'clocks' | 'wound back' | 'both forget';

/** The share of the seeds without a Cluster that are special. */
const SHARE = 0.25;

const MIXES: Readonly<Record<Special, readonly FaultName[]>> = {
  clocks: ['kill the filler', 'step the clock of a server', 'slow the table'],
  'wound back': ['wind back a hash'],
  'both forget': ['lose hash and table'],
};

/** What would void the little that is promised in a seed of each kind. */
const LEFT_OUT: Readonly<Record<Special, RegExp | undefined>> = {
  clocks: undefined,
  'wound back': /^restore the table$/,
  // Who starts knows nothing: only those who were there can tell.
  'both forget': /^(restore the table|(kill|close|start) a process)$/,
};

/** Drawn from a stream of its own, so that what other seeds draw stays as it is. */
export function specialOf(seed: number): Special | undefined {
  const random = new Random(seed, 'special');
  return random.chance(SHARE) ? random.pick(['clocks', 'wound back', 'both forget'] as const) : undefined;
}

/** The faults of a special seed: those drawn for it, and those that it is about. */
export function specialFaults(seed: number, special: Special, runMs: number, drawn: PlannedFault[]) {
  const random = new Random(seed, 'special faults');
  const rates = new Map(MIXES[special].map((name) => [name, 1]));
  const gapMs = random.magnitude(30, 400);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: drawn.length });
  return [...drawn, ...more].filter(({ name }) => LEFT_OUT[special]?.test(name) !== true);
}
