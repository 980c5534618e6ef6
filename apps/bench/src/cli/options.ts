import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { unknownNameMessage } from '@ids/core/strategy';
import { UsageError } from '../cases/select.js';
import { present } from '../experiments/case-experiments.js';
import { type Profile, profiles } from '../experiments/profile.js';
import { ORDER_NEEDS } from '../judge/needs.js';
import type { ServiceNeeds } from '../schema/advice.js';
import { benchProgram, type measuringCommand, OUT } from './flags.js';

type CommonOptions = ReturnType<ReturnType<typeof measuringCommand>['opts']>;

/** The arguments that all commands share. */
export interface CommonArguments extends Pick<CommonOptions, 'only'> {
  readonly out: string;
  readonly profile: Profile;
}

/**
 * Throws a `UsageError` for anything unknown: nothing is ignored. Prints the help if that is asked for, and
 * throws a `CommanderError` with exit code 0.
 */
export function parseArguments(argv: readonly string[]) {
  const program = parseFlags(benchProgram(), argv);
  const [command, file] = program.processedArgs;
  refuseUnused(program, command);
  const { config, processes, strategy: strategies = [], ...options } = program.opts();
  if (command === 'report' && file === undefined) throw new UsageError('report needs a result.json');
  if (command !== 'report' && file !== undefined) {
    throw new UsageError(`unexpected argument "${file}" after "${command}"`);
  }
  return {
    ...commonArguments(options, command === 'run' ? OUT : join(OUT, command)),
    command,
    /** The `result.json` to render. */
    ...(file !== undefined && { file }),
    /** From flags. */
    needs: needsOf(options),
    /** A config file whose generator states its needs. */
    ...(config !== undefined && { config }),
    processes,
    /** Paths of modules, each with a strategy of the user. */
    strategies,
  };
}

/** Options that only choose what is measured, or how. */
const MEASURING = ['quick', 'full', 'smoke', 'only', 'processes', 'strategy'];
/** Those that state what a service needs: `bench` and `bench report` rank by it. */
const NEEDS = ['rate', 'p99', 'maxLength', 'order', 'type', 'reveals', 'offline', 'public', 'config'];
const UNUSED: Readonly<Record<'run' | 'faults' | 'keyed' | 'report', readonly string[]>> = {
  run: [],
  faults: [...NEEDS, 'processes'],
  // It has a list of its own.
  keyed: [...NEEDS, 'strategy'],
  report: MEASURING,
};

/** Throws a `UsageError` for an option that the command would ignore. */
function refuseUnused(program: ReturnType<typeof benchProgram>, command: keyof typeof UNUSED): void {
  const given = program.options.filter((one) => program.getOptionValueSource(one.attributeName()) === 'cli');
  const unused = given.find((one) => UNUSED[command].includes(one.attributeName()));
  if (unused !== undefined) throw new UsageError(`"${command}" has no option ${unused.long}`);
}

export type BenchArguments = ReturnType<typeof parseArguments>;

/** `folder`: for the report, by default. */
export function commonArguments(options: CommonOptions, folder: string): CommonArguments {
  const { only, out = folder, full, smoke } = options;
  const profile = profiles[full ? 'full' : smoke ? 'smoke' : 'quick'];
  return { ...(only && { only }), out, profile };
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
      throw new UsageError(unknown === undefined ? message : unknownNameMessage('option', unknown, known));
    })
    .parse(argv, { from: 'user' });
}

type NeedOptions = ReturnType<ReturnType<typeof benchProgram>['opts']>;

function needsOf(options: Omit<NeedOptions, 'config' | 'processes' | 'strategy'>): ServiceNeeds {
  const { rate, p99, maxLength, order, type, reveals, offline } = options;
  if (p99 !== undefined && rate === undefined) {
    throw new UsageError('--p99 needs --rate: a latency without a rate means nothing');
  }
  return present({
    ...{ rate, p99Ms: p99, maxLength, type, offline, public: options.public },
    order: order && ORDER_NEEDS[order],
    reveals: reveals && [reveals],
  });
}
