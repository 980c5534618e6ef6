import { IdError } from './id-error.js';
import type { IdStrategy } from './id-strategy.js';
import type { SchemaIssue } from './standard-schema.js';
import { unknownName } from './unknown-name.js';

/**
 * Validates `input` for `strategy` and returns the options with their defaults. Throws one `ERR_IDS_CONFIG`
 * that lists everything wrong, a line each, naming option, value and what is accepted.
 */
export function parseOptions<Options>(
  {
    name,
    options,
    optionNames,
  }: Pick<IdStrategy<string, unknown, Options>, 'name' | 'options' | 'optionNames'>,
  input: unknown,
): Options {
  const unknown = Object.keys(input ?? {})
    .filter((key) => !optionNames.includes(key))
    .map((key) => unknownName('option', key, optionNames));
  const result = options['~standard'].validate(input);
  if (result instanceof Promise) throw new TypeError(`${name}: its option schema must be synchronous`);
  const problems = [...unknown, ...(result.issues ?? []).map(describeIssue)];
  if (result.issues === undefined && problems.length === 0) return result.value;
  throw new IdError('ERR_IDS_CONFIG', problems.map((problem) => `${name}: ${problem}`).join('\n'));
}

function describeIssue({ path = [], message }: SchemaIssue): string {
  if (path.length === 0) return message;
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment));
  return `option "${keys.join('.')}": ${message}`;
}
