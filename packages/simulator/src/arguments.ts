import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const USAGE = `pnpm simulate [options]

Runs the dispensers' real code on a virtual clock, against a simulated Redis and Postgres, with faults drawn from a seed, and
checks every id: none twice, in real-time order (from Redis, outside split brain), first come first served, every call settled,
no more set aside than maxIdsLost admits; and that health() does not lie.

  --seed N          plays this one seed and says what happened
  --minutes N       plays seeds for so long, above 0; 1 by default
  --from N          the first seed; random by default
  --threads N       so many seeds at once, 1 to 64; one for each core by default
  --until-failure   goes on until a seed fails, or for --minutes where both are given
  --only N,N        keeps just these faults of the seed, or "none", as a failure's command says; only with --seed
  --trace           writes everything that happened; only with --seed
  --processes N     so many processes to begin with, 1 to 10000; drawn by default
  --sequences N     so many sequences, 1 to 1000; drawn by default
  --guard NAME      switches a guard of the protocol off; "list" lists them
  --help            this text

Exit code 0: sound. 1: a guarantee was broken. 2: bad usage.`;

const MOST_THREADS = 64;

export interface Arguments {
  readonly help: boolean;
  readonly seed: number | undefined;
  readonly from: number;
  /** How long, in milliseconds; Infinity until a failure. */
  readonly forMs: number;
  readonly threads: number;
  readonly untilFailure: boolean;
  /** Undefined: all faults of the seed. */
  readonly only: ReadonlySet<number> | undefined;
  readonly trace: boolean;
  readonly guard: string | undefined;
  readonly processes: number | undefined;
  readonly sequences: number | undefined;
}

/**
 * Reads the command line. Throws a `RangeError` or a `TypeError` that names the option, what it
 * got and what it accepts.
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
  const seed = values.seed === undefined ? undefined : wholeNumber('seed', values.seed);
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
    from: values.from === undefined ? Math.floor(Math.random() * 2 ** 32) : wholeNumber('from', values.from),
    forMs: minutes === undefined && untilFailure ? Number.POSITIVE_INFINITY : (minutes ?? 1) * 60_000,
    threads: values.threads === undefined ? cores() : wholeNumber('threads', values.threads, 1, MOST_THREADS),
    untilFailure,
    only: values.only === undefined ? undefined : positions(values.only),
    trace: values.trace,
    guard: values.guard,
    processes:
      values.processes === undefined ? undefined : wholeNumber('processes', values.processes, 1, 10_000),
    sequences:
      values.sequences === undefined ? undefined : wholeNumber('sequences', values.sequences, 1, 1_000),
  };
}

function positions(text: string): ReadonlySet<number> {
  return new Set(text === 'none' ? [] : text.split(',').map((one) => wholeNumber('only', one)));
}

function cores(): number {
  return Math.min(availableParallelism(), MOST_THREADS);
}

/**
 * The number that an option has. Throws a `RangeError` that names the option, the text and what is accepted.
 */
export function wholeNumber(option: string, text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RangeError(`--${option} ${text}: a whole number from ${least} to ${most} is accepted`);
}
