import { type Game, type PlayOptions, playSeed, type SeedOutcome } from './play-seed.js';
import { historyOf } from './world/checks.js';
import { type PlanChanges, planOf } from './world/draw-plan.js';
import { strike } from './world/faults.js';
import { judge } from './world/judge.js';
import type { Plan } from './world/plan.js';
import type { PlannedFault } from './world/planned-faults.js';
import { repairTable } from './world/table-faults.js';
import { World } from './world/world.js';

export type RunOptions = PlayOptions & PlanChanges;

const GAME: Game<PlannedFault, Plan, World> = {
  name: 'sequences',
  open: (...parts) => new World(...parts),
  strike,
  heal: (world) => {
    world.heal();
    repairTable(world, 0);
  },
  judge: (world, violated) => {
    const { sequences } = world.plan;
    for (const name of sequences) judge(name, world, violated);
    for (const problem of world.aside.broken) violated('ids lost', problem);
    return sequences.map((name) => historyOf(world.processes, name));
  },
};

/** Plays one seed with sequences. Only one run at a time. */
export function runSeed(seed: number, options: RunOptions = {}): Promise<SeedOutcome<Plan>> {
  return playSeed(GAME, planOf(seed, options), options);
}
