import type { Random } from '../random.js';
import { type FaultName, TABLE_FAULTS } from './fault-names.js';
import { type PlannedFault, scatterFaults } from './scatter-faults.js';

/** Which share of the seeds has faults of the table's servers. */
const SHARE = 0.4;

/**
 * What makes a change of the table's history felt: Redis and processes that know less than the table gave.
 */
const FORGETTERS: readonly FaultName[] = ['flush', 'kill a process', 'close a process', 'start a process'];

/** What a synchronous standby goes through, and who forgets what the old primary knew. */
export function drawStandbyFaults(random: Random, runMs: number, from: number): PlannedFault[] {
  const rates = new Map<FaultName, number>([
    ['give up on the standby', 3],
    ['slow the standby', 1],
    ['promote a standby of the table', 1],
    [random.pick(FORGETTERS), 2],
    ['flush', 2],
  ]);
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(50, 400), echo: 0, from });
}

/** Draws the faults of the table's servers; `position` is the place of the first one. */
export function drawTableFaults(random: Random, runMs: number, position: number): PlannedFault[] {
  if (!random.chance(SHARE)) return [];
  const names = random.chance(0.5) ? TABLE_FAULTS : [random.pick(TABLE_FAULTS), random.pick(TABLE_FAULTS)];
  const forgetters = random.chance(0.7) ? [random.pick(FORGETTERS), random.pick(FORGETTERS)] : [];
  const gapMs = random.magnitude(50, 1_000);
  const faults: PlannedFault[] = [];
  const add = (atMs: number, name: FaultName) => {
    const [who, strength, length] = [random.next(), random.next(), random.next()];
    faults.push({ position: position + faults.length, atMs, name, who, strength, length });
  };
  for (let atMs = random.next() * gapMs; atMs < runMs; atMs += -Math.log(1 - random.next()) * gapMs) {
    add(atMs, random.pick(names));
    for (const name of forgetters) add(Math.max(0, atMs + (random.next() - 0.5) * 100), name);
  }
  return faults;
}
