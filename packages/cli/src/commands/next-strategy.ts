import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type ConfiguredGenerator, configFilesIn, planGenerator } from '@ids/config';
import { IdError, type IdStrategy, isIdError } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import type { EncodeOptions } from '@ids/encode';
import { planAll, readAndWarn } from '../tables/generators.js';
import type { CommandContext } from '../terminal/command.js';
import { needsOf } from '../terminal/questions.js';

/** The form of the IDs of a strategy that no config names. */
type Form = Pick<EncodeOptions, 'as' | 'form' | 'prefix'>;

/**
 * What `ids next <name>` issues from: the generator of the config with this name, whatever it is called.
 * Otherwise a strategy of this name that needs no server, with its default options. A config that cannot be
 * read is an error: it may have a generator of this name.
 */
export async function planNamed(
  name: string,
  form: Form,
  context: CommandContext,
): Promise<ConfiguredGenerator> {
  const { strategies, cwd } = context;
  const plans =
    (await configFilesIn(cwd)).length > 0 ? planAll(await readAndWarn(context), strategies) : undefined;
  const configured = plans?.get(name);
  if (configured !== undefined) {
    const [given] = Object.entries(form).find(([, value]) => value !== undefined) ?? [];
    if (given === undefined) return configured;
    throw new InvalidArgumentError(
      `--${given} is for a strategy, and generators.${name} writes its IDs as the config says: leave --${given} out`,
    );
  }
  const strategy = strategies.find((candidate) => candidate.name === name);
  const plan = strategy && planOf(strategy);
  if (plan !== undefined) return inForm(plan, strategies, form);
  const generators = plans && [...plans.keys()];
  throw new IdError('ERR_IDS_CONFIG', whyNone(name, strategy, generators, context));
}

/** `generators`: the names in the config; undefined if there is none. */
function whyNone(
  name: string,
  strategy: IdStrategy | undefined,
  generators: readonly string[] | undefined,
  { strategies, cwd }: CommandContext,
): string {
  const serverless = namesWithoutServer(strategies);
  if (strategy === undefined && generators !== undefined)
    return unknownNameMessage('generator', name, [...generators, ...serverless]);
  const missing =
    generators === undefined
      ? `there is no ids.config.{ts,js,json,yaml} in ${cwd}`
      : `the config has no generator "${name}"`;
  const init = 'npx --no -- ids init';
  if (strategy === undefined) {
    const accepted = serverless.join(', ') || 'no strategy';
    return `${missing}; without one, ids next accepts ${accepted}, got "${name}". To write one: ${init}`;
  }
  const needed = needsOf(strategy.optionNames);
  const needs = `strategy ${name} needs ${needed === 'nothing' ? 'options' : needed}, and so a generator in a config`;
  const how = generators === undefined ? `${init} --strategy ${name}` : 'add one there';
  return `${missing}, and ${needs}: ${how}`;
}

/** The names of the strategies whose IDs `ids next` issues without a config. */
export function namesWithoutServer(strategies: readonly IdStrategy[]): string[] {
  return strategies.filter((strategy) => planOf(strategy) !== undefined).map(({ name }) => name);
}

/** With the options of its example; undefined if it needs a server. Opens nothing. */
function planOf(strategy: IdStrategy): ConfiguredGenerator | undefined {
  const { name, example } = strategy;
  try {
    const plan = planGenerator([strategy], {}, name, { ...example, strategy: name });
    return plan.guarantees.backends.length === 0 ? plan : undefined;
  } catch (error) {
    // The URL of its server is required.
    if (isIdError(error)) return undefined;
    throw error;
  }
}

function inForm(
  plan: ConfiguredGenerator,
  strategies: readonly IdStrategy[],
  form: Form,
): ConfiguredGenerator {
  if (Object.values(form).every((value) => value === undefined)) return plan;
  const { name, options } = plan;
  try {
    return planGenerator(strategies, {}, name, { ...options, strategy: name, encode: form });
  } catch (error) {
    // Only the command line can be wrong: the same without `encode` is not.
    throw isIdError(error) ? new InvalidArgumentError(error.message) : error;
  }
}
