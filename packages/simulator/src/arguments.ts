import { availableParallelism } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { TOLERABLE_KINDS, type TolerableKind } from './play-seed.js';

const MOST_THREADS = 64;
/** How many seeds `--guards` plays for each guard, unless told otherwise. The rarest ones took 1,200. */
const SEEDS_PER_GUARD = 20_000;

export interface Arguments {
  readonly seed: number | undefined;
  readonly from: number;
  /** How many seeds to play at most; may be Infinity. */
  readonly seeds: number;
  /** How long to search, in milliseconds; Infinity: until a failure, or until all `seeds` are played. */
  readonly forMs: number;
  readonly threads: number;
  readonly untilFailure: boolean;
  /** The faults to keep; undefined: all faults of the seed. */
  readonly only: ReadonlySet<number> | undefined;
  readonly trace: boolean;
  readonly guard: string | undefined;
  /** Search a seed for this guard, or for each one, that breaks without it. */
  readonly guards: string | true | undefined;
  /** Findings of this kind break no seed. */
  readonly tolerate: TolerableKind | undefined;
  readonly processes: number | undefined;
  readonly sequences: number | undefined;
  /** Play sequences by key only. */
  readonly keyed: boolean;
  /** Print which faults met which steps. */
  readonly report: boolean;
}

/**
 * Parses the command line. Throws a `CommanderError` that names the option, its value and what is accepted;
 * with exit code 0, after it printed the help.
 */
export function readArguments(args: readonly string[]): Arguments {
  const program = simulateProgram().parse(args, { from: 'user' });
  const {
    seed,
    minutes,
    untilFailure = false,
    only,
    trace = false,
    keyed = false,
    report = false,
    guard,
    guards,
    ...rest
  } = program.opts();
  const { seeds = guards !== undefined && minutes === undefined ? SEEDS_PER_GUARD : undefined } = rest;
  if (seed === undefined && (only !== undefined || trace)) {
    program.error(`error: --${trace ? 'trace' : 'only'} is accepted only with --seed`);
  }
  return {
    seed,
    from: rest.from,
    seeds: seeds ?? Number.POSITIVE_INFINITY,
    forMs:
      minutes === undefined && (untilFailure || seeds !== undefined)
        ? Number.POSITIVE_INFINITY
        : (minutes ?? 1) * 60_000,
    threads: rest.threads,
    untilFailure,
    only,
    trace,
    guard,
    guards,
    tolerate: rest.tolerate,
    processes: rest.processes,
    sequences: rest.sequences,
    keyed,
    report,
  };
}

function simulateProgram() {
  const seed = new Option('--seed <N>', 'run this one seed and report what happened');
  const from = new Option('--from <N>', 'the first seed');
  const seeds = new Option('--seeds <N>', 'run so many seeds, from the first one on');
  const guards = new Option(
    '--guards [NAME]',
    `search for each guard, or for this one, a seed that breaks without it and not with it; at most ${SEEDS_PER_GUARD} seeds per guard, or --seeds, or --minutes`,
  );
  const tolerate = new Option('--tolerate <KIND>', 'print findings of this kind, but do not fail on them');
  const threads = new Option('--threads <N>', `how many seeds to run at once, 1 to ${MOST_THREADS}`);
  return toolCommand(
    'pnpm simulate',
    `Runs the real code of the dispensers on a virtual clock, against a simulated Redis and Postgres. A seed decides the faults. Checks that no ID comes twice, that IDs are in real-time order where that is promised (outside split brain) and first come first served, that every call settles, that no more IDs are set aside than maxIdsLost allows, and that health() is right.`,
  )
    .addOption(
      seed.argParser(wholeNumber()).conflicts(['minutes', 'seeds', 'from', 'threads', 'untilFailure']),
    )
    .option('--minutes <N>', 'how long to run seeds, above 0 (default: 1)', minutesOf)
    .addOption(seeds.argParser(wholeNumber(1)).conflicts('minutes'))
    .addOption(from.argParser(wholeNumber()).default(Math.floor(Math.random() * 2 ** 32), 'random'))
    .addOption(
      threads
        .argParser(wholeNumber(1, MOST_THREADS))
        .default(Math.min(availableParallelism(), MOST_THREADS), 'one per core'),
    )
    .option('--until-failure', 'stop when a seed fails, or after --minutes or --seeds if both are given')
    .option(
      '--only <N,N>',
      'keep only these faults of the seed, or "none", as printed for a failure; requires --seed',
      positions,
    )
    .option('--trace', 'print everything that happened; requires --seed')
    .option(
      '--report',
      'print at the end how often each fault struck while each step was under way, and what never met',
    )
    .addOption(
      new Option(
        '--keyed',
        'play sequences by key only (default: every fourth seed of a search does)',
      ).conflicts('sequences'),
    )
    .option(
      '--processes <N>',
      'how many processes to start with, 1 to 10000 (default: decided by the seed)',
      wholeNumber(1, 10_000),
    )
    .option(
      '--sequences <N>',
      'how many sequences, 1 to 1000 (default: decided by the seed)',
      wholeNumber(1, 1_000),
    )
    .option('--guard <NAME>', 'switch off a guard of the protocol; "list" lists them')
    .addOption(guards.conflicts(['guard', 'seed', 'tolerate', 'untilFailure']))
    .addOption(tolerate.choices(TOLERABLE_KINDS))
    .addHelpText(
      'after',
      '\nExit code 0: sound. 1: a guarantee was broken, or not without a guard. 2: wrong command line.',
    );
}

/** A command that throws a `CommanderError`, for the caller to print, instead of ending the process. */
function toolCommand(name: string, description: string) {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ outputError: () => {} })
    .exitOverride();
}

/**
 * What ends a tool before it does anything: prints why the command line is wrong, unless help was asked for.
 * Returns the exit code. Throws any other error again.
 */
export function exitCodeOf(error: unknown): 0 | 2 {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  if (!(error instanceof CommanderError || error instanceof RangeError)) throw error;
  console.error(`${error.message}\n--help lists the options`);
  return 2;
}

/** Parses a whole number from `least` to `most`, both inclusive. */
function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`A whole number from ${least} to ${most} is accepted.`);
  };
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw new InvalidArgumentError('A number above 0 is accepted.');
}

function positions(text: string): ReadonlySet<number> {
  return new Set(text === 'none' ? [] : text.split(',').map(wholeNumber()));
}
