import {
  failuresOf,
  type Phase,
  PROCESS_MS,
  type RunOptions,
  runSession,
  Trials,
  UsageError,
  WorkRecord,
} from '@ids/bench/command';
import {
  type BenchCase,
  type CaseEnvironment,
  closedLoopJob,
  type LoopMeasure,
  pairedRatio,
  type Ratio,
  type SyncTrial,
  syncJob,
} from '@ids/bench/measure';
import { unknownNameMessage } from '@ids/core/strategy';
import { median } from 'simple-statistics';

/** The cases of one build. */
export interface Build {
  /** The module that exports them as `cases`. */
  readonly url: string;
  readonly cases: readonly BenchCase[];
}

/** One figure of one strategy: ids per second of the change over those of the base. */
export interface SpeedChange {
  readonly strategy: string;
  readonly figure: string;
  readonly ratio: Ratio;
}

export interface SpeedReport {
  readonly changes: readonly SpeedChange[];
  /** Slower in both rounds. */
  readonly regressions: readonly SpeedChange[];
  /** Strategies of one build only, in words. */
  readonly leftOut: readonly string[];
  readonly problems: readonly string[];
  /** Why the figures mean nothing; absent if they can be compared. */
  readonly notComparable?: string;
  readonly incomplete: boolean;
}

/** `blocks`: fresh processes per build and strategy. */
export interface CompareOptions extends Omit<RunOptions, 'list' | 'processes'> {
  readonly blocks: number;
}

const SIDES = ['base', 'change'] as const;
type Side = (typeof SIDES)[number];
type Pair = Readonly<Record<Side, WorkRecord<BenchCase>>>;

const LOOPS = [
  { concurrency: 16, batch: 1 },
  { concurrency: 256, batch: 1 },
];

/**
 * Measures both builds in one run, in turn, a fresh process for each. What is slower is measured once more,
 * in as many blocks again: only what is slower in both rounds is a regression, because one of many intervals
 * misses its value by chance.
 */
export async function compareBuilds(
  base: Build,
  change: Build,
  options: CompareOptions,
): Promise<SpeedReport> {
  const strategies = change.cases.filter(({ kind }) => kind === 'strategy').map(({ name }) => name);
  for (const name of options.only ?? []) {
    if (!strategies.includes(name)) throw new UsageError(unknownNameMessage('strategy', name, strategies));
  }
  const both = strategies.filter((name) => base.cases.some((one) => one.name === name));
  const wanted = both.filter((name) => options.only?.includes(name) ?? true);
  const first = await measureRound(base, change, wanted, options);
  const slower = first.changes.filter(isSlower);
  if (slower.length === 0 || first.incomplete) {
    return { ...first, regressions: [], leftOut: leftOut(base, change, options.only) };
  }
  const suspects = wanted.filter((name) => slower.some(({ strategy }) => strategy === name));
  const second = await measureRound(base, change, suspects, options);
  const again = second.changes.filter(isSlower);
  return {
    ...first,
    ...second,
    changes: first.changes,
    problems: [...first.problems, ...second.problems],
    regressions: slower.filter((one) => again.some(sameAs(one))),
    leftOut: leftOut(base, change, options.only),
  };
}

function isSlower({ ratio }: SpeedChange): boolean {
  return ratio.verdict === 'slower';
}

function sameAs(one: SpeedChange): (other: SpeedChange) => boolean {
  return ({ strategy, figure }) => strategy === one.strategy && figure === one.figure;
}

function leftOut(base: Build, change: Build, only?: readonly string[]): string[] {
  const missing = (from: Build, other: Build, where: string) =>
    from.cases
      .filter(({ kind, name }) => kind === 'strategy' && (only?.includes(name) ?? true))
      .filter(({ name }) => !other.cases.some((one) => one.name === name))
      .map(({ name }) => `${name} is only in ${where}`);
  return [...missing(change, base, 'the change'), ...missing(base, change, 'the base')];
}

type Round = Omit<SpeedReport, 'regressions' | 'leftOut'>;

async function measureRound(
  base: Build,
  change: Build,
  names: readonly string[],
  { profile, blocks, view, signal }: CompareOptions,
): Promise<Round> {
  const pairs = names.map(
    (name): Pair => ({ base: recordOf(base, name, 'base'), change: recordOf(change, name, 'change') }),
  );
  const bursts = new Trials<SyncTrial>();
  const loops = new Trials<readonly LoopMeasure[]>();

  /** Each pair in turn, its two builds in the order A B, then B A: a drift favours neither. */
  function stepsOf(pair: Pair): Phase['steps'] {
    return Array.from({ length: blocks }, (_, block) =>
      (block % 2 === 0 ? SIDES : SIDES.toReversed()).map((side) => {
        const record = pair[side];
        const sync = isSync(record.benchCase);
        return {
          phase: `${record.name} ${block + 1}/${blocks}`,
          name: side,
          record,
          run: (context) => {
            const own = { ...context, environment: apart(context.environment, side) };
            return sync
              ? bursts.run(syncJob, profile.sync, [record, block], own)
              : loops.run(
                  closedLoopJob,
                  { settings: LOOPS, measureMs: profile.loopMs },
                  [record, block],
                  own,
                );
          },
        } satisfies Phase['steps'][number];
      }),
    ).flat();
  }

  const phase = {
    title: 'comparing',
    timeoutMs: profile.timeoutMs.trial,
    stepMs: { work: PROCESS_MS, fixed: 2 * LOOPS.length * profile.loopMs },
    steps: pairs.flatMap(stepsOf),
  };
  const records = pairs.flatMap((pair) => SIDES.map((side) => pair[side]));
  const facts = await runSession({ casesUrl: change.url, records, phases: [phase], view, signal });
  const changes = pairs.flatMap((pair) => {
    const strategy = pair.change.name;
    const ratio = <Answer>(trials: Trials<Answer>, figure: string, rateOf: (answer: Answer) => number) => {
      const rates = (side: Side) =>
        trials.of(pair[side]).map((answer) => (answer ? rateOf(answer) : undefined));
      const found = pairedRatio('base', rates('change'), rates('base'));
      return found === undefined ? [] : [{ strategy, figure, ratio: found }];
    };
    return [
      ...ratio(bursts, 'in bursts', ({ raw }) => 1 / median([...raw])),
      ...ratio(bursts, 'in bursts, as Map key', ({ asMapKey }) => 1 / median([...asMapKey])),
      ...LOOPS.flatMap(({ concurrency }, index) =>
        ratio(loops, `${concurrency} callers`, (measures) => measures[index]?.idsPerSecond ?? Number.NaN),
      ),
    ];
  });
  const { incomplete, notComparable } = facts;
  return {
    changes,
    problems: failuresOf(records),
    incomplete,
    ...(notComparable !== undefined && { notComparable }),
  };
}

function isSync(benchCase: BenchCase): boolean {
  return benchCase.kind === 'strategy' && benchCase.guarantees.sync;
}

/** A case of one build, with tables and keys of its own. */
function recordOf({ cases, url }: Build, name: string, side: Side): WorkRecord<BenchCase> {
  const found = cases.find((one) => one.name === name) as BenchCase;
  return new WorkRecord({
    ...found,
    casesUrl: url,
    prepare: async (environment) => found.prepare?.(apart(environment, side)),
    cleanUp: async (environment) => found.cleanUp?.(apart(environment, side)),
  });
}

function apart<E extends Pick<CaseEnvironment, 'runId'>>(environment: E, side: Side): E {
  return { ...environment, runId: `${environment.runId}_${side}` };
}
