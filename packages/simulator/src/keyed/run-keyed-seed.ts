import { emptyHistory, type History } from '@ids/conformance';
import { type Game, type PlayOptions, playSeed, type SeedOutcome } from '../play-seed.js';
import type { Violated } from '../world/base-world.js';
import { checkDeadlines, checkLevels, historyOf } from '../world/checks.js';
import { type KeyedPlanChanges, keyedPlanOf } from './draw-keyed-plan.js';
import { strikeKeyed } from './keyed-faults.js';
import type { KeyedFault, KeyedPlan } from './keyed-plan.js';
import { KeyedWorld } from './keyed-world.js';

export type KeyedRunOptions = PlayOptions & KeyedPlanChanges;

const GAME: Game<KeyedFault, KeyedPlan, KeyedWorld> = {
  name: 'keys',
  open: (...parts) => new KeyedWorld(...parts),
  strike: strikeKeyed,
  heal: (world) => world.heal(),
  judge: (world, violated) => {
    for (const problem of world.aside.broken) violated('ids lost', problem);
    return world.plan.keys.map((key) => judgeKey(key, world, violated));
  },
};

/** Plays one seed with sequences by key. Only one run at a time. */
export function runKeyedSeed(seed: number, options: KeyedRunOptions = {}): Promise<SeedOutcome<KeyedPlan>> {
  return playSeed(GAME, keyedPlanOf(seed, options), options);
}

function judgeKey(key: string, { plan, table, processes }: KeyedWorld, violated: Violated): History {
  const history = historyOf(processes, key);
  // While two primaries answer, nobody who meets only one of them can know what the other one issues.
  const ordered = !table.forked && (!plan.splitBrain || plan.options.waitReplicas > 0);
  const levels = ['unique', 'increasing', 'fifo', ...(ordered ? (['real-time'] as const) : [])] as const;
  for (const some of plan.untraced ? callsAlone(history) : [history]) {
    checkLevels(some, levels, violated, `key ${key}: `);
  }
  checkDeadlines(history, plan.options.deadlineMs, processes, violated);
  return history;
}

/** Each call as a history. */
function callsAlone({ records, unsettled }: History): readonly History[] {
  const alone = records.map((record) => ({ ...emptyHistory(), records: [record] }));
  return [...alone, { ...emptyHistory(), unsettled }];
}
