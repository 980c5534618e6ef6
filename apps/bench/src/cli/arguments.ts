import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { unknownName } from '@ids/core/strategy';
import { UsageError } from '../cases/select.js';
import { profiles } from '../experiments/profile.js';
import { ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';
import type { ServiceNeeds } from '../schema/advice.js';
import type { Profile } from '../schema/run.js';
import { benchProgram, type measuringCommand } from './flags.js';

/** The arguments that all commands share. */
export interface CommonArguments {
  /** The `result.json` of an earlier run. */
  readonly compare?: string;
  readonly ci: boolean;
  readonly json: boolean;
  readonly only?: readonly string[];
  readonly out: string;
  readonly profile: Profile;
}

export interface BenchArguments extends CommonArguments {
  readonly command: 'run' | 'faults' | 'index' | 'report';
  /** The `result.json` to render. */
  readonly file?: string;
  /** From flags. */
  readonly needs: ServiceNeeds;
  /** A config file whose generators state their needs. */
  readonly config?: string;
  readonly processes: number;
  /** Paths of modules, each with a strategy of the user. */
  readonly strategies: readonly string[];
}

/**
 * Throws a `UsageError` for anything unknown: nothing is ignored. Prints the help if that is asked for, and
 * throws a `CommanderError` with exit code 0.
 */
export function parseArguments(argv: readonly string[]): BenchArguments {
  const program = parseFlags(benchProgram(), argv);
  const [command, file] = program.processedArgs;
  const { config, processes, strategy: strategies = [], ...options } = program.opts();
  if (command === 'report' && file === undefined) throw new UsageError('report needs a result.json');
  if (command !== 'report' && file !== undefined) {
    throw new UsageError(`unexpected argument "${file}" after "${command}"`);
  }
  return {
    ...commonArguments(options),
    command,
    ...(file !== undefined && { file }),
    needs: needsOf(options),
    ...(config !== undefined && { config }),
    processes,
    strategies,
  };
}

type CommonOptions = ReturnType<ReturnType<typeof measuringCommand>['opts']>;

export function commonArguments(options: CommonOptions): CommonArguments {
  const { compare, ci = false, json = false, only, out, full, smoke } = options;
  return {
    ...(compare !== undefined && { compare }),
    ci,
    json,
    ...(only && { only }),
    out,
    profile: profiles[full ? 'full' : smoke ? 'smoke' : 'quick'],
  };
}

/**
 * Parses `argv`. Throws a `UsageError` for anything that `program` does not know. Prints the help if that is
 * asked for, and throws a `CommanderError` with exit code 0.
 */
export function parseFlags<Program extends CommandUnknownOpts>(
  program: Program,
  argv: readonly string[],
): Program {
  return program
    .configureOutput({ outputError: () => {} })
    .exitOverride((ended) => {
      if (ended.exitCode === 0) throw ended;
      // commander looks for the name nearest to the whole of --name=value, and finds none.
      const [, unknown] = /^error: unknown option '([^'=]+)/.exec(ended.message) ?? [];
      const known = program.options.flatMap(({ long }) => long ?? []);
      const message = ended.message.replace(/^error: /, '');
      throw new UsageError(unknown === undefined ? message : unknownName('option', unknown, known));
    })
    .parse(argv, { from: 'user' });
}

function needsOf(options: Partial<ReturnType<ReturnType<typeof benchProgram>['opts']>>): ServiceNeeds {
  const { rate, p99, maxLength, order, type, reveals, offline } = options;
  if (p99 !== undefined && rate === undefined) {
    throw new UsageError('--p99 needs --rate: a latency without a rate means nothing');
  }
  return {
    ...(rate !== undefined && { rate }),
    ...(p99 !== undefined && { p99Ms: p99 }),
    ...(maxLength !== undefined && { maxLength }),
    ...(order !== undefined && { order: ORDER_NEEDS[order] }),
    ...(type !== undefined && { type: TYPE_NEEDS[type] }),
    ...(reveals !== undefined && { reveals: [reveals] }),
    ...(offline && { offline }),
    ...(options.public && { public: true }),
  };
}
