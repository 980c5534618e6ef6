import { type GeneratorConfig, type IdsConfig, secretHider } from '@ids/config';
import { optionsOf } from '../cases/strategies.js';
import type { Advice, MergedConfig } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import { generatorConfig } from './advise.js';

/**
 * The config of a service with the strategies that were recommended for its generators, as the text of
 * `ids.config.json`. A generator without a recommendation stays as it is. Passwords and keys are left out,
 * and so is what JSON cannot hold, such as a client.
 */
export function mergeConfig(
  config: IdsConfig,
  advice: readonly Advice[],
  cases: readonly CaseResult[],
): MergedConfig {
  const generators = Object.entries(config.generators).map(([name, generator]) => {
    const found = advice.find(({ needs }) => needs.name === name);
    const chosen = cases.find((one) => one.kind === 'strategy' && one.name === found?.choice);
    if (found === undefined || chosen === undefined) return [name, generator];
    return [name, withChoice(generator, generatorConfig(chosen, found.needs), optionsOf(chosen.name))];
  });
  const hide = secretHider(config);
  const leftOut: string[] = [];
  const merged = { ...config, generators: Object.fromEntries(generators) };
  const text = JSON.stringify(plain(merged, [], { hide, leftOut }), null, 2);
  return { text, leftOut };
}

/**
 * Options belong to a strategy, so those of another one go. What is about the generator stays: where its ids
 * are kept, and how they are encoded. `options`: those that make the strategy this case of it.
 */
function withChoice(
  before: GeneratorConfig,
  choice: GeneratorConfig,
  options: Readonly<Record<string, unknown>>,
): GeneratorConfig {
  if (before.strategy === choice.strategy) {
    const { as, encode = before.encode, require } = choice;
    const kept = { ...choice, ...before, ...options, require };
    return { ...kept, ...(as !== undefined && { as }), ...(encode !== undefined && { encode }) };
  }
  const { column, encode } = before;
  return {
    ...(encode !== undefined && { encode }),
    ...(column !== undefined && { column }),
    ...choice,
  };
}

interface Plain {
  readonly hide: (text: string) => string;
  readonly leftOut: string[];
}

function plain(value: unknown, path: readonly string[], context: Plain): unknown {
  if (Array.isArray(value)) return value.map((one, i) => plain(one, [...path, String(i)], context));
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => [key, plain(inner, [...path, key], context)]);
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  }
  const known = value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
  const secret = path.at(-1) === 'key' || (typeof value === 'string' && context.hide(value) !== value);
  if (known && !secret) return value;
  context.leftOut.push(path.join('.'));
  return undefined;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
