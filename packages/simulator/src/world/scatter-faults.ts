import type { Random } from '../random.js';
import { type FaultName, isLoss } from './fault-names.js';

export interface PlannedFault {
  /** Its place among the faults that the seed drew, from 0. */
  readonly position: number;
  readonly atMs: number;
  readonly name: FaultName;
  /** Three numbers from 0 to 1: whom it hits, how hard, how long. */
  readonly who: number;
  readonly strength: number;
  readonly length: number;
}

export interface FaultMix {
  readonly runMs: number;
  /** How often each fault happens, relative to the others. */
  readonly rates: ReadonlyMap<FaultName, number>;
  /** Milliseconds between two faults, on average. */
  readonly gapMs: number;
  /** How likely a loss is followed by another one at once. */
  readonly echo: number;
  /** The position of the first fault. */
  readonly from: number;
}

/** Faults at times that are as independent as those of a Poisson process. */
export function scatterFaults(random: Random, { runMs, rates, gapMs, echo, from }: FaultMix): PlannedFault[] {
  const names = [...rates.keys()];
  const total = names.reduce((sum, name) => sum + (rates.get(name) ?? 0), 0);
  const drawName = (): FaultName | undefined => {
    let left = random.next() * total;
    return names.find((name) => {
      left -= rates.get(name) ?? 0;
      return left < 0;
    });
  };
  const faults: PlannedFault[] = [];
  for (let atMs = random.next() * gapMs; atMs < runMs; atMs += -Math.log(1 - random.next()) * gapMs) {
    const name = drawName();
    if (name === undefined) continue;
    const fault = (when: number): PlannedFault => ({
      position: from + faults.length,
      atMs: when,
      name,
      who: random.next(),
      strength: random.next(),
      length: random.next(),
    });
    faults.push(fault(atMs));
    // Losses that follow each other closely are worse than any number far apart.
    if (isLoss(name) && random.chance(echo)) faults.push(fault(atMs + random.magnitude(1, 200)));
  }
  return faults;
}
