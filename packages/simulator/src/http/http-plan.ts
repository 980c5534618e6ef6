import { Random } from '../random.js';
import { HTTP_FAULTS, type PlannedFault, scatterFaults } from '../world/planned-faults.js';

/** What a seed decides about servers of ids between the processes and the table. */
export interface HttpPlan {
  /** How many there are at the start, side by side. */
  readonly servers: number;
  /** The greatest time in transit of a request or an answer, in milliseconds. */
  readonly latencyMs: number;
}

/** In a share of the seeds. Draws from a separate stream, so that other seeds stay as they are. */
export function httpPlanOf(seed: number, share: number): HttpPlan | undefined {
  const random = new Random(seed, 'http');
  if (!random.chance(share)) return undefined;
  return { servers: random.pick([1, 2, 2, 3]), latencyMs: random.magnitude(0.5, 200) };
}

/** Whether a process reserves over HTTP, beside those that reach the table themselves. */
export function isOverHttp(seed: number, process: number): boolean {
  return new Random(seed, `http of ${process}`).chance(0.7);
}

export function httpFaultsOf(
  seed: number,
  runMs: number,
  from: number,
): PlannedFault<(typeof HTTP_FAULTS)[number]>[] {
  const random = new Random(seed, 'http faults');
  const rates = new Map(HTTP_FAULTS.map((name) => [name, random.magnitude(0.1, 3)]));
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(30, 500), echo: 0, from });
}
