import { emptyHistory, type History, type HistoryLevel } from '@ids/conformance';
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
  // Then a process over HTTP gets ids of both, by whichever server answers it.
  const mixed = table.forked && plan.http !== undefined;
  const each: readonly HistoryLevel[] = mixed ? [] : ['increasing', 'fifo'];
  const orders: readonly HistoryLevel[] = ordered ? [...each, 'real-time'] : each;
  const check = (some: History, levels: readonly HistoryLevel[]): void =>
    checkLevels(some, levels, violated, `key ${key}: `);
  if (plan.untraced) for (const call of callsAlone(history)) check(call, ['unique', ...orders]);
  else {
    check(history, ['unique']);
    for (const part of remembered(history, plan)) check(part, orders);
  }
  checkDeadlines(history, plan.options.deadlineMs, processes, violated);
  return history;
}

/** How long a process remembers the ids that it got of a key, at least. */
const REMEMBERED_MS = 60_000;

/**
 * The parts of a history in which processes remember what they got. In split brain, nothing else keeps the
 * ids of a process in order: the side that goes on does not know those of the other one.
 */
function remembered(history: History, { splitBrain, options, rest }: KeyedPlan): readonly History[] {
  const forgets = splitBrain && options.waitReplicas === 0 && rest !== undefined && rest.ms >= REMEMBERED_MS;
  if (!forgets) return [history];
  const end = (rest.atMs + rest.ms) * 1e6;
  const { records } = history;
  return [
    { ...history, records: records.filter(({ invoke }) => invoke < end) },
    { ...emptyHistory(), records: records.filter(({ invoke }) => invoke >= end) },
  ];
}

/** Each call as a history. */
function callsAlone({ records, unsettled }: History): readonly History[] {
  const alone = records.map((record) => ({ ...emptyHistory(), records: [record] }));
  return [...alone, { ...emptyHistory(), unsettled }];
}
