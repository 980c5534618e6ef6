import type { History } from '@ids/conformance';
import { EncounterLog, type Encounters } from './encounters.js';
import { Random } from './random.js';
import { installPlatform } from './time/platform.js';
import { Scheduler } from './time/scheduler.js';
import { Trace, type TraceLine } from './trace.js';
import type { BasePlan } from './world/base-plan.js';
import { type BaseWorld, NO_ID, type Violated, type WorldProcess, type Wraps } from './world/base-world.js';

/**
 * The kinds of findings that `--tolerate` accepts: in rare seeds, a process waits for an operator who accepts
 * a floor.
 */
export const TOLERABLE_KINDS = ['no id'] as const;
export type TolerableKind = (typeof TOLERABLE_KINDS)[number];

/** The kind of what a probe found. */
function kindOf(problem: string): 'recovery' | TolerableKind {
  return problem.endsWith(`: ${NO_ID}`) ? 'no id' : 'recovery';
}

export interface PlayOptions {
  /** Creates the wrappers between the processes and their backends, for each run: they switch a guard off. */
  readonly wraps?: (() => Wraps) | undefined;
  /** Whether to keep what happened, line by line. */
  readonly keepTrace?: boolean | undefined;
  /** Findings of this kind break no seed. */
  readonly tolerate?: TolerableKind | undefined;
}

/** What a seed is played with: sequences, or sequences by key. */
export type GameName = 'sequences' | 'keys';

export interface SeedOutcome<Plan = BasePlan> {
  readonly game: GameName;
  readonly seed: number;
  readonly plan: Plan;
  /** Whether every guarantee held. */
  readonly sound: boolean;
  /** One sentence for each of the first violations. */
  readonly problems: readonly string[];
  /** The sentences of findings that were tolerated: they are in none of the other fields. */
  readonly tolerated: readonly string[];
  /** The number of violations of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly ids: number;
  readonly calls: number;
  readonly failures: number;
  /** The positions of the planned faults in the list that the seed drew. */
  readonly faultPositions: readonly number[];
  /** Which faults met which steps. */
  readonly encounters: Encounters;
  readonly events: number;
  /** Two runs with the same hash did the same things at the same times. */
  readonly hash: string;
  readonly trace: readonly TraceLine[];
}

export interface TimedFault {
  readonly name: string;
  /** Its position among the faults that the seed drew, from 0. */
  readonly position: number;
  readonly atMs: number;
}

/** A kind of worlds: how one is made and judged. */
export interface Game<
  Fault extends TimedFault,
  Plan extends BasePlan,
  World extends BaseWorld<Plan, WorldProcess>,
> {
  readonly name: GameName;
  readonly open: (plan: Plan, scheduler: Scheduler, trace: Trace, wraps: Wraps) => World;
  /** Applies a planned fault, if possible. Returns whether it was. */
  readonly strike: (world: World, fault: Fault) => boolean;
  /** Ends all faults. */
  readonly heal: (world: World) => void;
  /** Checks every guarantee. Returns what the processes did. */
  readonly judge: (world: World, violated: Violated) => readonly History[];
}

/**
 * How long the processes may recover after the last fault before they are probed, and how long the probes may
 * take.
 */
const RECOVERY_MS = 6_000;
const ANSWER_MS = 12_000;

/**
 * Plays a plan from beginning to end and judges it. Only one run at a time, since it replaces the clocks of
 * the platform.
 */
export async function playSeed<
  Fault extends TimedFault,
  Plan extends BasePlan & { readonly faults: readonly Fault[] },
  World extends BaseWorld<Plan, WorldProcess>,
>(game: Game<Fault, Plan, World>, plan: Plan, options: PlayOptions): Promise<SeedOutcome<Plan>> {
  const { seed, faults } = plan;
  const scheduler = new Scheduler();
  const trace = new Trace(() => scheduler.now, { keep: options.keepTrace === true });
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  const tolerated: string[] = [];
  const violated = (kind: string, problem: string) => {
    if (kind === options.tolerate) {
      tolerated.push(`${kind}: ${problem}`);
      return;
    }
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (counts[kind] <= 5) problems.push(`${kind}: ${problem}`);
  };
  const stray = (error: unknown) => violated('unhandled rejection', String(error));
  process.on('unhandledRejection', stray);
  const uninstall = installPlatform(scheduler, new Random(seed, 'platform'));
  try {
    const encounters = new EncounterLog();
    const world = game.open(plan, scheduler, trace, encounters.watching(options.wraps?.() ?? {}));
    for (let i = 0; i < plan.processes; i++) world.startProcess();
    const strike = (fault: Fault): void => encounters.struck(fault.name, game.strike(world, fault));
    for (const fault of faults) scheduler.schedule(fault.atMs, scheduler.world, () => strike(fault));
    await scheduler.run(plan.runMs);
    game.heal(world);
    await recover(world, (problem) => violated(kindOf(problem), problem));
    const histories = game.judge(world, violated);
    for (const problem of world.table.broken) violated('contract', problem);
    const sum = (of: (history: History) => number) =>
      histories.reduce((total, history) => total + of(history), 0);
    return {
      game: game.name,
      seed,
      plan,
      sound: Object.keys(counts).length === 0,
      problems,
      tolerated,
      counts,
      ids: sum(({ records }) => records.reduce((total, { ids }) => total + ids.length, 0)),
      calls: sum(({ records, failures }) => records.length + failures.length),
      failures: sum(({ failures }) => failures.length),
      faultPositions: faults.map(({ position }) => position),
      encounters: encounters.found,
      events: scheduler.events,
      hash: trace.hash,
      trace: trace.lines ?? [],
    };
  } finally {
    uninstall();
    process.off('unhandledRejection', stray);
  }
}

/** Waits until the processes have recovered, and probes each of them. */
async function recover<Plan extends BasePlan>(
  world: BaseWorld<Plan, WorldProcess>,
  problem: (problem: string) => void,
): Promise<void> {
  const { scheduler } = world;
  await scheduler.run(scheduler.now + RECOVERY_MS);
  const running = world.alive;
  const expected = running.reduce((sum, { probes }) => sum + probes, 0);
  let answers = 0;
  for (const process of running) {
    process.probe((found) => {
      answers++;
      if (found !== undefined) problem(found);
    });
  }
  await scheduler.run(scheduler.now + ANSWER_MS, () => answers === expected);
  if (answers < expected) problem(`${expected - answers} calls have no end although nothing is wrong`);
}
