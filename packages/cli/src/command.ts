import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '@ids/config';
import { type IdPart, type IdStrategy, isIdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import type { Layout } from '@ids/snowflake';
import { type ArgDef, type ArgsDef, type ParsedArgs, parseArgs } from 'citty';

/** A stream for text output; `process.stdout` is one. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal in characters. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Where a generator takes its ids from: a sequence in a database or, with `layout`, slots. */
export interface SequencePlace {
  /** A URL, or a pool of `pg` or `mysql2`. */
  readonly database: unknown;
  readonly table: string | undefined;
  readonly name: string;
  /** How ids of slots are made of bits; undefined for a sequence. */
  readonly layout?: Layout | undefined;
}

/** What a command works with. */
export interface CommandContext {
  /** The strategies that the config may name. */
  readonly strategies: readonly IdStrategy[];
  /**
   * The same strategies as services import them, if `strategies` accept more options. `doctor` checks and
   * opens these. `strategies` by default.
   */
  readonly serviceStrategies?: readonly IdStrategy[];
  /** The folder with `ids.config.*`. */
  readonly cwd: string;
  readonly environment: Environment;
  /** For results. */
  readonly stdout: OutputStream;
  /** For errors and notes. */
  readonly stderr: OutputStream;
  /**
   * Asks a table who reserved the segment or the time of an id, in decimal digits, and when. Returns facts
   * for people, none if nothing is known. Without it, `inspect` omits them.
   */
  readonly whoIssued?: (place: SequencePlace, id: string) => Promise<readonly IdPart[]>;
}

/** The exit codes of the command; part of its interface. */
export const EXIT = {
  ok: 0,
  /** It was understood but failed, or `doctor` found an error. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The config is missing or invalid, or a strategy does not meet its requirements. */
  config: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  const wrong = isIdError(error) && (error.code === 'ERR_IDS_CONFIG' || error.code === 'ERR_IDS_UNMET');
  return wrong ? EXIT.config : EXIT.failed;
}

/** One of the commands. */
export interface Subcommand {
  readonly description: string;
  readonly flags: ArgsDef;
  run(argv: readonly string[], context: CommandContext): Promise<ExitCode>;
}

export function subcommand<const Flags extends ArgsDef>(
  description: string,
  flags: Flags,
  run: (args: ParsedArgs<Flags>, context: CommandContext) => Promise<ExitCode>,
): Subcommand {
  return {
    description,
    flags,
    run: async (argv, context) => {
      const args = parseFlags(argv, flags);
      const { cwd = context.cwd, strategies } = args as {
        readonly cwd?: string;
        readonly strategies?: string;
      };
      if (strategies === undefined) return run(args, { ...context, cwd });
      const loaded = await loadStrategies(context.cwd, strategies);
      return run(args, { ...context, cwd, strategies: loaded, serviceStrategies: loaded });
    },
  };
}

/** Flags that every command has. */
export const commonFlags = {
  cwd: {
    type: 'string',
    valueHint: 'dir',
    description: 'folder that contains ids.config.* (default: the current one)',
  },
  strategies: {
    type: 'string',
    valueHint: 'module',
    description: 'module that exports the strategies (default: those of this family)',
  },
  json: { type: 'boolean', description: 'print the result as JSON' },
  help: { type: 'boolean', alias: 'h', description: 'print this help' },
} as const satisfies ArgsDef;

/** Parses `argv` according to `flags`. Throws a `UsageError` for anything unknown: nothing is ignored. */
function parseFlags<const Flags extends ArgsDef>(argv: readonly string[], flags: Flags) {
  const named = Object.entries(flags).filter(([, { type }]) => type !== 'positional');
  const known = named.flatMap(([name, flag]) => [`--${name}`, ...aliasesOf(flag)]);
  const dashed = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  for (const argument of dashed.filter((text) => /^-./.test(text))) {
    const [option = argument] = argument.split('=', 1);
    if (/^-\d/.test(option)) throw new UsageError(`a number must be 0 or more, got "${argument}"`);
    if (!known.includes(option)) throw new UsageError(unknownName('option', option, known));
  }
  try {
    const parsed = parseArgs<Flags>([...argv], flags);
    const places = Object.values(flags).filter(({ type }) => type === 'positional').length;
    const stray = parsed._[places];
    if (stray !== undefined) throw new UsageError(`unexpected argument "${stray}"`);
    return parsed;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function aliasesOf(flag: ArgDef): string[] {
  const alias = 'alias' in flag ? (flag.alias ?? []) : [];
  return [alias].flat().map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
}

/** Parses a whole number from `low` to `high`, both inclusive. */
export function parseWholeNumber(option: string, text: string, low: number, high: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < low || number > high) {
    throw new UsageError(`${option} must be a whole number from ${low} to ${high}, got "${text}"`);
  }
  return number;
}

/**
 * The strategies that a module of the service exports, individually or in lists, in the order of its exports.
 */
async function loadStrategies(cwd: string, file: string): Promise<readonly IdStrategy[]> {
  const module: object = await import(pathToFileURL(resolve(cwd, file)).href).catch((cause: unknown) => {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new UsageError(`--strategies: "${file}" cannot be loaded: ${why}`);
  });
  const found = [...new Set(Object.values(module).flat())].filter(isStrategy);
  if (found.length > 0) return found;
  throw new UsageError(
    `--strategies: "${file}" exports no strategy; it must export a list, such as export const strategies = [objectid]`,
  );
}

function isStrategy(value: unknown): value is IdStrategy {
  const { name, options, optionNames, guarantees, create } = Object(value) as Partial<IdStrategy>;
  const functions = [guarantees, create].every((member) => typeof member === 'function');
  return typeof name === 'string' && typeof options === 'object' && Array.isArray(optionNames) && functions;
}
