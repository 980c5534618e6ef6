import { formatValue, unknownNameMessage } from '@ids/core/strategy';
import { encodeOptionsSchema, encodeProblems } from '@ids/encode';
import * as v from 'valibot';
import { COLUMN_NAME_RULE } from './column-name.js';
import { variableFor } from './environment.js';
import { logLevelProblem } from './event-log.js';
import { CONFIG_KEYS, generatorEntries, isObject, seriesIn } from './ids-config.js';
import { NEEDS_KEYS, needsSchema } from './needs.js';

/** Everything wrong with the top level, one line each: the path, what is accepted, and what was given. */
export function configProblems(config: unknown): string[] {
  if (!isObject(config))
    return [`ids.config: must be an object with "generators", got ${formatValue(config)}`];
  const problems = Object.keys(config)
    .filter((key) => !(CONFIG_KEYS as readonly string[]).includes(key))
    .map((key) => `ids.config: ${unknownNameMessage('key', key, CONFIG_KEYS)}`);
  const { generators, logLevel } = config;
  const wrongLevel = logLevelProblem(logLevel);
  if (wrongLevel !== undefined) problems.push(wrongLevel);
  const some = seriesIn(config).length > 0;
  if (generators === undefined) {
    if (!some) problems.push('generators: is required, and must be an object of generators by name');
  } else if (!isObject(generators)) {
    problems.push(`generators: must be an object of generators by name, got ${formatValue(generators)}`);
  } else if (Object.keys(generators).length === 0 && !some)
    problems.push('generators: must contain at least one generator, unless there are series');
  return problems;
}

/**
 * Everything wrong with one generator except its strategy's options, one line each, starting with the path.
 */
export function generatorProblems(name: string, generator: unknown): string[] {
  const at = `generators.${name}`;
  if (!isObject(generator))
    return [`${at}: must be an object with a "strategy", got ${formatValue(generator)}`];
  const { strategy, require, encode, column } = generator;
  const problems: string[] = [];
  if (typeof strategy !== 'string') {
    const given = strategy === undefined ? '' : `, got ${formatValue(strategy)}`;
    problems.push(
      `${at}.strategy: ${given === '' ? 'is required: ' : 'must be '}the name of a strategy${given}`,
    );
  }
  problems.push(...schemaProblems(`${at}.require`, needsSchema, NEEDS_KEYS, require));
  const encodeIssues = schemaProblems(`${at}.encode`, encodeOptionsSchema, ENCODE_KEYS, encode);
  problems.push(...encodeIssues);
  if (encodeIssues.length === 0 && isObject(encode)) {
    problems.push(...encodeProblems(encode).map((problem) => `${at}.encode: ${withHint(problem, name)}`));
  }
  if (!v.is(generatorEntries.column, column)) {
    problems.push(`${at}.column: must be ${COLUMN_NAME_RULE}, got ${formatValue(column)}`);
  }
  return problems;
}

function withHint(problem: string, name: string): string {
  return problem.includes('needs a "key"')
    ? `${problem}, in ${variableFor(name, 'KEY')} or in the file named by ${variableFor(name, 'KEY_FILE')}`
    : problem;
}

const ENCODE_KEYS = new Map([['', Object.keys(encodeOptionsSchema.entries)]]);

/** What a schema finds, one line each. `keys`: the known keys, by the path of their object. */
export function schemaProblems(
  at: string,
  schema: v.GenericSchema,
  keys: ReadonlyMap<string, readonly string[]>,
  value: unknown,
): string[] {
  // The schema library accepts an array as an object without known keys.
  if (Array.isArray(value)) return [`${at}: must be an object, got an array`];
  const { issues = [] } = v.safeParse(v.optional(schema), value);
  return issues.map((issue) => {
    const path = v.getDotPath(issue)?.split('.') ?? [];
    if (issue.type !== 'strict_object') return `${[at, ...path].join('.')}: ${issue.message}`;
    if (issue.expected?.startsWith('"')) return `${[at, ...path].join('.')}: is required`;
    if (issue.expected !== 'never') {
      return `${[at, ...path].join('.')}: must be an object, got ${formatValue(issue.input)}`;
    }
    const parents = path.slice(0, -1);
    const key = path.at(-1) ?? '';
    return `${[at, ...parents].join('.')}: ${unknownNameMessage('key', key, keys.get(parents.join('.')) ?? [])}`;
  });
}
