import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const USAGE = `pnpm simulate [options]

Runs the real code of the dispensers on a virtual clock, against a simulated Redis and Postgres. A seed decides the
faults. Checks that no ID comes twice, that IDs are in real-time order where that is promised (outside split brain)
and first come first served, that every call settles, that no more IDs are set aside than maxIdsLost allows, and
that health() is right.

  --seed N          run this one seed and report what happened
  --minutes N       how long to run seeds, above 0 (default: 1)
  --from N          the first seed (default: random)
  --threads N       how many seeds to run at once, 1 to 64 (default: one per core)
  --until-failure   stop when a seed fails, or after --minutes if both are given
  --only N,N        keep only these faults of the seed, or "none", as printed for a failure; requires --seed
  --trace           print everything that happened; requires --seed
  --processes N     how many processes to start with, 1 to 10000 (default: decided by the seed)
  --sequences N     how many sequences, 1 to 1000 (default: decided by the seed)
  --guard NAME      switch off a guard of the protocol; "list" lists them
  --help            print this help

Exit code 0: sound. 1: a guarantee was broken. 2: wrong command line.`;

const MOST_THREADS = 64;

export interface Arguments {
  readonly help: boolean;
  readonly seed: number | undefined;
  readonly from: number;
  /** How long to search, in milliseconds; Infinity: until a failure. */
  readonly forMs: number;
  readonly threads: number;
  readonly untilFailure: boolean;
  /** The faults to keep; undefined: all faults of the seed. */
  readonly only: ReadonlySet<number> | undefined;
  readonly trace: boolean;
  readonly guard: string | undefined;
  readonly processes: number | undefined;
  readonly sequences: number | undefined;
}

/**
 * Parses the command line. Throws a `RangeError` or a `TypeError` that names the option, its value and what
 * is accepted.
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string' },
      from: { type: 'string' },
      threads: { type: 'string' },
      'until-failure': { type: 'boolean', default: false },
      only: { type: 'string' },
      trace: { type: 'boolean', default: false },
      guard: { type: 'string' },
      processes: { type: 'string' },
      sequences: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? undefined : wholeNumberOption('seed', values.seed);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0 && Number.isFinite(minutes))) {
    throw new RangeError(`--minutes ${values.minutes}: a number above 0 is accepted`);
  }
  for (const option of ['only', 'trace'] as const) {
    if (values[option] !== undefined && values[option] !== false && seed === undefined)
      throw new RangeError(`--${option} is accepted only with --seed`);
  }
  for (const option of ['minutes', 'from', 'threads', 'until-failure'] as const) {
    if (values[option] && seed !== undefined) throw new RangeError(`--${option} is not accepted with --seed`);
  }
  const untilFailure = values['until-failure'];
  return {
    help: values.help,
    seed,
    from:
      values.from === undefined
        ? Math.floor(Math.random() * 2 ** 32)
        : wholeNumberOption('from', values.from),
    forMs: minutes === undefined && untilFailure ? Number.POSITIVE_INFINITY : (minutes ?? 1) * 60_000,
    threads:
      values.threads === undefined ? cores() : wholeNumberOption('threads', values.threads, 1, MOST_THREADS),
    untilFailure,
    only: values.only === undefined ? undefined : positions(values.only),
    trace: values.trace,
    guard: values.guard,
    processes:
      values.processes === undefined
        ? undefined
        : wholeNumberOption('processes', values.processes, 1, 10_000),
    sequences:
      values.sequences === undefined ? undefined : wholeNumberOption('sequences', values.sequences, 1, 1_000),
  };
}

function positions(text: string): ReadonlySet<number> {
  return new Set(text === 'none' ? [] : text.split(',').map((one) => wholeNumberOption('only', one)));
}

function cores(): number {
  return Math.min(availableParallelism(), MOST_THREADS);
}

/** The value of an option. Throws a `RangeError` that names the option, the text and what is accepted. */
export function wholeNumberOption(
  option: string,
  text: string,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(`--${option} ${text}: a whole number from ${least} to ${most} is accepted`);
}
