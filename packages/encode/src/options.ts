import { IdError } from '@ids/core';
import { formatValue, ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';
import { ALPHABET_NAMES, type AlphabetName } from './digits.js';
import { FORMS, type FormName } from './forms.js';
import { HIDDEN_VERSIONS, type HiddenVersion } from './hidden-uuid.js';
import { isTypeidType, TYPE_RULE } from './typeid-type.js';

/** The form of encoded ids. At least one of `as`, `form`, `prefix` and `obfuscate` is required. */
export interface EncodeOptions {
  /**
   * The alphabet: `decimal`, `hex` (lower case), `base62`, or `crockford` (base32, upper case). By default,
   * ids keep their own form.
   */
  readonly as?: AlphabetName | undefined;
  /**
   * For UUIDs: `typeid` or `ulid`, 26 digits of base32 as in their specifications. The only other options
   * allowed are `prefix`, which in a TypeID has an underscore after it, and of a TypeID `obfuscate`.
   */
  readonly form?: FormName | undefined;
  /**
   * The number of digits, 1 to 64, with leading zeros, so that strings sort like their numbers. Default: as
   * few as needed; for obfuscated ids, and for ids that use their whole range (ObjectIds), as many as the
   * greatest id needs. An id that needs more throws `ERR_IDS_EXHAUSTED`.
   */
  readonly width?: number | undefined;
  /**
   * Precedes the digits, such as `ord_`: 1 to 32 printable ASCII characters. With `typeid` it is the type,
   * such as `order`: 1 to 63 characters of a-z and _, with a letter at both ends.
   */
  readonly prefix?: string | undefined;
  /** Appends a check digit that detects every single wrong digit. Default `false`. */
  readonly check?: boolean | undefined;
  /**
   * Encrypts ids, so that time, neighbours and volume cannot be seen. Requires `key`, and `as` or UUIDs of
   * version 7, which then look like random ones. Default `false`.
   */
  readonly obfuscate?: boolean | undefined;
  /**
   * A secret of 32, 48 or 64 hex digits (AES-128, -192 or -256) from a secret store. Whoever has it can
   * decode the ids.
   */
  readonly key?: string | undefined;
  /**
   * The version that obfuscated UUIDs have: 4, the default, or 8. It can tell which of two keys a UUID was
   * written with: see `acceptFormer`.
   */
  readonly version?: HiddenVersion | undefined;
}

const MAX_WIDTH = 64;

function oneOf<const Names extends readonly string[]>(names: Names) {
  return v.picklist(names, ruleMessage(`must be one of ${names.map((name) => `"${name}"`).join(', ')}`));
}

const WIDTH_RULE = `must be a whole number from 1 to ${MAX_WIDTH}`;
const PREFIX_RULE = 'must be 1 to 32 printable ASCII characters without white space';
const SWITCH_RULE = 'must be true or false';
/** Error messages never contain the value: it is a secret, or part of one. */
const KEY_RULE = 'must be a secret of 32, 48 or 64 hex digits';

/** The schema of `EncodeOptions`. Its messages contain the accepted and the given values, but never a key. */
export const encodeOptionsSchema = v.strictObject({
  as: v.optional(oneOf(ALPHABET_NAMES)),
  form: v.optional(oneOf(FORMS)),
  width: v.optional(
    v.custom<number>(
      (width) => typeof width === 'number' && Number.isInteger(width) && width >= 1 && width <= MAX_WIDTH,
      ruleMessage(WIDTH_RULE),
    ),
  ),
  prefix: v.optional(
    v.custom<string>(
      // How long it may be depends on the form.
      (prefix) => typeof prefix === 'string' && /^[!-~]+$/.test(prefix),
      ruleMessage(PREFIX_RULE),
    ),
  ),
  check: v.optional(v.boolean(ruleMessage(SWITCH_RULE))),
  obfuscate: v.optional(v.boolean(ruleMessage(SWITCH_RULE))),
  key: v.optional(
    v.custom<string>(
      (key) => typeof key === 'string' && /^(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})$/i.test(key),
      ({ input }) => (typeof input === 'string' ? KEY_RULE : `${KEY_RULE}, got ${formatValue(input)}`),
    ),
  ),
  version: v.optional(v.picklist(HIDDEN_VERSIONS, ruleMessage(`must be ${HIDDEN_VERSIONS.join(' or ')}`))),
});

/** What is wrong with the combination of individually valid options, one sentence each. */
export function encodeProblems(options: EncodeOptions): string[] {
  const { as, form, width, prefix, check, obfuscate, key, version } = options;
  const problems: string[] = [];
  if (prefix !== undefined && !isPrefix(prefix, form)) {
    problems.push(
      `option "prefix": ${form === 'typeid' ? `${TYPE_RULE}, for "form": "typeid"` : PREFIX_RULE}, got ${formatValue(prefix)}`,
    );
  }
  if (form !== undefined) {
    const hidden = form === 'typeid' ? {} : { obfuscate, key };
    const given = Object.entries({ as, width, check, ...hidden }).filter(([, value]) => value);
    const allowed = form === 'typeid' ? '"prefix", "obfuscate" and "key"' : '"prefix"';
    for (const [option] of given)
      problems.push(`"form": "${form}" allows only ${allowed}: remove "${option}"`);
    if (given.length > 0) return problems;
  } else if (as === undefined) {
    const given = Object.entries({ width, check }).filter(([, value]) => value);
    for (const [option] of given) problems.push(`"${option}" needs digits: set "as" too`);
    if (prefix === undefined && given.length === 0 && !obfuscate && key === undefined)
      problems.push('set "as", "form" or "prefix", or remove "encode"');
  }
  if (obfuscate && key === undefined) problems.push(`"obfuscate" needs a "key": ${KEY_RULE}`);
  if (version !== undefined && (as !== undefined || form !== undefined || !obfuscate))
    problems.push('"version" is only for "obfuscate": true without "as" and "form"');
  if (!obfuscate && key !== undefined) problems.push('"key" is only for "obfuscate": true');
  return problems;
}

function isPrefix(prefix: string, form: FormName | undefined): boolean {
  return form === 'typeid' ? isTypeidType(prefix) : prefix.length <= 32;
}

/** Throws a single `ERR_IDS_CONFIG` that lists everything wrong with `options`. */
export function assertEncodeOptions(options: unknown): asserts options is EncodeOptions {
  const { success, issues = [] } = v.safeParse(encodeOptionsSchema, options);
  const problems = success
    ? encodeProblems(options as EncodeOptions)
    : issues.map((issue) => {
        const path = v.getDotPath(issue);
        return path === null ? issue.message : `option "${path}": ${issue.message}`;
      });
  if (problems.length > 0) {
    throw new IdError('ERR_IDS_CONFIG', problems.map((problem) => `encode: ${problem}`).join('\n'));
  }
}
