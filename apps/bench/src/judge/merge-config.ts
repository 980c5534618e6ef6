import { type GeneratorConfig, type IdsConfig, secretHider, unmetNeeds } from '@ids/config';
import type { EncodeOptions } from '@ids/encode';
import { optionsOf, variantOptionsOf } from '../cases/strategies.js';
import type { Advice, MergedConfig, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import { generatorConfig } from './advise.js';
import { encodedGuarantees } from './fit.js';

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
  const dropped: string[] = [];
  const generators = Object.entries(config.generators).map(([name, generator]) => {
    const found = advice.find(({ needs }) => needs.name === name);
    const chosen = cases.find((one) => one.kind === 'strategy' && one.name === found?.choice);
    if (found === undefined || chosen === undefined) return [name, generator];
    const merged = withChoice(generator, chosen, found.needs);
    const { encode: after = {} } = merged;
    for (const [option, value] of Object.entries(generator.encode ?? {})) {
      const kept = Object.entries(after).some((entry) => entry[0] === option && entry[1] === value);
      if (!kept) dropped.push(`generators.${name}.encode.${option}`);
    }
    return [name, merged];
  });
  const hide = secretHider(config);
  const leftOut: string[] = [];
  const merged = { ...config, generators: Object.fromEntries(generators) };
  const text = JSON.stringify(plain(merged, [], { hide, leftOut }), null, 2);
  return { text, leftOut, ...(dropped.length > 0 && { dropped }) };
}

/**
 * Options belong to a strategy, so those of another one go. What is about the generator stays: where its ids
 * are kept, and how they are encoded, if the new ids can be. Of the same strategy, all options stay but those
 * that would make it another case than the one that was measured.
 */
function withChoice(before: GeneratorConfig, chosen: CaseResult, needs: ServiceNeeds): GeneratorConfig {
  const { encode: hiding, ...choice } = generatorConfig(chosen, needs);
  const { column, encode: written } = before;
  const encode = encodingFor(chosen, choice, written, hiding);
  const encoded = encode !== undefined && { encode };
  if (before.strategy !== choice.strategy) {
    return { ...encoded, ...(column !== undefined && { column }), ...choice };
  }
  const others = [...variantOptionsOf(choice.strategy), ...(needs.type === undefined ? [] : ['as'])];
  const gone = [...others, ...(encoded ? [] : ['encode'])];
  const kept = Object.fromEntries(Object.entries(before).filter(([option]) => !gone.includes(option)));
  return {
    ...choice,
    ...kept,
    ...optionsOf(chosen.name),
    ...(choice.as !== undefined && { as: choice.as }),
    ...encoded,
    require: choice.require,
  };
}

/**
 * As the service writes its ids, or at least with its prefix, if the ids of the choice can be written like
 * that and then still meet the needs. `hiding`: what the recommendation adds so that ids reveal nothing.
 */
function encodingFor(
  chosen: CaseResult,
  { require = {} }: GeneratorConfig,
  written: EncodeOptions | undefined,
  hiding: EncodeOptions | undefined,
): EncodeOptions | undefined {
  const { guarantees } = chosen;
  if (written === undefined || guarantees === undefined) return hiding;
  const { prefix } = written;
  const ways = [
    hiding === undefined ? written : { ...hiding, ...written, obfuscate: true },
    ...(prefix === undefined ? [] : [{ ...hiding, prefix }]),
  ];
  const meets = (way: EncodeOptions): boolean => {
    const encoded = encodedGuarantees(guarantees, way);
    return encoded !== undefined && unmetNeeds(require, encoded).length === 0;
  };
  return ways.find(meets) ?? hiding;
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
