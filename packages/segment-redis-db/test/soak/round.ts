import { setTimeout as pause } from 'node:timers/promises';
import { Crew } from './crew.js';
import { faults, splitBrain } from './faults.js';
import type { Ledger } from './ledger.js';
import type { Random } from './random.js';
import type { World } from './world.js';

export interface RoundPlan {
  readonly processes: number;
  readonly callers: number;
  readonly milliseconds: number;
  /** Off: load alone. */
  readonly faults: boolean;
}

export interface RoundOutcome {
  readonly ids: number;
  readonly faults: readonly string[];
  readonly sound: boolean;
}

/** Every so many rounds has a split brain among its faults. */
const SPLIT_EVERY = 4;

/** New processes, load on all of them, one fault after another, and a verdict. */
export async function playRound(
  number: number,
  { world, ledger, random, plan }: { world: World; ledger: Ledger; random: Random; plan: RoundPlan },
): Promise<RoundOutcome> {
  const split = plan.faults && number % SPLIT_EVERY === 0;
  const crew = await Crew.start(world, plan.processes, plan.callers);
  const scene = { world, crew, random };
  const played: string[] = [];
  const end = performance.now() + plan.milliseconds;
  if (!plan.faults) await pause(plan.milliseconds);
  if (split) {
    played.push('split brain');
    await splitBrain(scene);
  }
  while (plan.faults && performance.now() < end) {
    await pause(random.between(20, 500));
    const name = random.pick(Object.keys(faults));
    played.push(name);
    await faults[name]?.(scene);
  }
  const history = await crew.stop();
  // What the losing side of a split brain left behind may lie below ids of the other: the next round
  // begins anew, above both.
  if (split) await world.redis((client) => client.del(world.key));
  const ids = history.records.reduce((sum, record) => sum + record.ids.length, 0);
  return { ids, faults: played, sound: ledger.add(history, { split }) };
}
