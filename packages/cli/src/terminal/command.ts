import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommanderError, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Environment } from '@ids/config';
import { type IdStrategy, isIdError } from '@ids/core';

/** A stream for text output; `process.stdout` is one. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal in characters. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
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

export function exitCodeOf(error: unknown): ExitCode {
  // Help that was asked for ends a command with an error too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const wrong = isIdError(error) && (error.code === 'ERR_IDS_CONFIG' || error.code === 'ERR_IDS_UNMET');
  return wrong ? EXIT.config : EXIT.failed;
}

/** The options that every command accepts. */
export interface CommonOptions {
  readonly cwd?: string;
  readonly strategies?: string;
  readonly json?: boolean;
}

/** What one execution of a command works with. */
export interface RunContext extends CommandContext {
  /** Whether the result is printed as JSON. */
  readonly json: boolean;
}

/** The context that the common options ask for. */
export async function withOptions(
  context: CommandContext,
  { cwd = context.cwd, strategies, json = false }: CommonOptions,
): Promise<RunContext> {
  if (strategies === undefined) return { ...context, cwd, json };
  const loaded = await loadStrategies(context.cwd, strategies);
  return { ...context, cwd, json, strategies: loaded, serviceStrategies: loaded };
}

/** Makes the action of a command from a function that takes its arguments and resolves with the exit code. */
export type ActionOf = <Args extends unknown[]>(
  run: (context: RunContext, ...args: Args) => Promise<ExitCode>,
) => (...args: Args) => Promise<void>;

/** Adds a command to `ids`. */
export type AddCommand = (ids: CommandUnknownOpts, actionOf: ActionOf) => void;

/** Parses a whole number from `low` to `high`, both inclusive. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
}

/**
 * The strategies that a module of the service exports, individually or in lists, in the order of its exports.
 */
async function loadStrategies(cwd: string, file: string): Promise<readonly IdStrategy[]> {
  const module: object = await import(pathToFileURL(resolve(cwd, file)).href).catch((cause: unknown) => {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new InvalidArgumentError(`--strategies: "${file}" cannot be loaded: ${why}`);
  });
  const found = [...new Set(Object.values(module).flat())].filter(isStrategy);
  if (found.length > 0) return found;
  throw new InvalidArgumentError(
    `--strategies: "${file}" exports no strategy; it must export a list, such as export const strategies = [objectid]`,
  );
}

function isStrategy(value: unknown): value is IdStrategy {
  const { name, options, optionNames, guarantees, create } = Object(value) as Partial<IdStrategy>;
  const functions = [guarantees, create].every((member) => typeof member === 'function');
  return typeof name === 'string' && typeof options === 'object' && Array.isArray(optionNames) && functions;
}
