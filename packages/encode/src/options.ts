import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import * as v from 'valibot';
import { ALPHABET_NAMES, type AlphabetName } from './digits.js';
import { isTypeidType, TYPE_RULE } from './typeid-type.js';
import { FORMS, type FormName } from './uuid-body.js';

/** The form of encoded ids. At least `as`, `form` or `prefix`. */
export interface EncodeOptions {
  /**
   * The digits: `decimal`, `hex` (lower case), `base62`, or `crockford` (base32, upper case). Default:
   * ids keep their own form.
   */
  readonly as?: AlphabetName | undefined;
  /**
   * For UUIDs: `typeid` or `ulid`, 26 digits of base32 as their specifications have them. Takes no other
   * option than `prefix`, which a TypeID separates by an underscore.
   */
  readonly form?: FormName | undefined;
  /**
   * How many digits, 1 to 64, with leading zeros, so that strings sort like their numbers. Default: as few as
   * needed, or, where ids use the whole range (ObjectIds) or are obfuscated, as many as the greatest id
   * needs. An id that outgrows it is `ERR_IDS_EXHAUSTED`.
   */
  readonly width?: number | undefined;
  /**
   * Precedes the digits, such as `ord_`: 1 to 32 printable ASCII characters. For `typeid` the type, such as
   * `order`: 1 to 63 characters of a-z and _, with a letter at both ends.
   */
  readonly prefix?: string | undefined;
  /** Appends a digit that finds every single mistyped one. Default `false`. */
  readonly check?: boolean | undefined;
  /**
   * Scatters ids over all strings of their width, so that neighbours and volume cannot be seen.
   * Needs `key`. Default `false`.
   */
  readonly obfuscate?: boolean | undefined;
  /**
   * A secret of 32, 48 or 64 hex digits (AES-128, -192 or -256), from a secret store.
   * Whoever has it reads the ids.
   */
  readonly key?: string | undefined;
}

const MAX_WIDTH = 64;

const named = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const WIDTH_RULE = `must be a whole number from 1 to ${MAX_WIDTH}`;
const PREFIX_RULE = 'must be 1 to 32 printable ASCII characters, no white space';
const SWITCH_RULE = 'must be true or false';
/** The value is never shown: it is a secret, or a part of one. */
const KEY_RULE = 'must be a secret of 32, 48 or 64 hex digits';

/** Its messages say what is accepted and what was given, and never a key. */
export const encodeOptionsSchema = v.strictObject({
  as: v.optional(
    v.picklist(
      ALPHABET_NAMES,
      ({ input }) => `must be one of ${named(ALPHABET_NAMES)}, got ${shownValue(input)}`,
    ),
  ),
  form: v.optional(
    v.picklist(FORMS, ({ input }) => `must be one of ${named(FORMS)}, got ${shownValue(input)}`),
  ),
  width: v.optional(
    v.custom<number>(
      (width) => typeof width === 'number' && Number.isInteger(width) && width >= 1 && width <= MAX_WIDTH,
      ({ input }) => `${WIDTH_RULE}, got ${shownValue(input)}`,
    ),
  ),
  prefix: v.optional(
    v.custom<string>(
      // How long it may be depends on the form.
      (prefix) => typeof prefix === 'string' && /^[!-~]+$/.test(prefix),
      ({ input }) => `${PREFIX_RULE}, got ${shownValue(input)}`,
    ),
  ),
  check: v.optional(v.boolean(({ input }) => `${SWITCH_RULE}, got ${shownValue(input)}`)),
  obfuscate: v.optional(v.boolean(({ input }) => `${SWITCH_RULE}, got ${shownValue(input)}`)),
  key: v.optional(
    v.custom<string>(
      (key) => typeof key === 'string' && /^(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})$/i.test(key),
      ({ input }) => (typeof input === 'string' ? KEY_RULE : `${KEY_RULE}, got ${shownValue(input)}`),
    ),
  ),
});

/** What is wrong with the combination of options that are each right, a sentence each. */
export function encodeProblems(options: EncodeOptions): string[] {
  const { as, form, width, prefix, check, obfuscate, key } = options;
  const problems: string[] = [];
  if (prefix !== undefined && !isPrefix(prefix, form)) {
    problems.push(
      `option "prefix": ${form === 'typeid' ? `${TYPE_RULE}, for "form": "typeid"` : PREFIX_RULE}, got ${shownValue(prefix)}`,
    );
  }
  if (form !== undefined) {
    const given = Object.entries({ as, width, check, obfuscate, key }).filter(([, value]) => value);
    for (const [option] of given) problems.push(`"form" says it all: leave "${option}" out`);
    return problems;
  }
  if (as === undefined) {
    const given = Object.entries({ width, check, obfuscate }).filter(([, value]) => value);
    for (const [option] of given) problems.push(`"${option}" needs digits: give "as" too`);
    if (prefix === undefined && given.length === 0)
      problems.push('give "as", "form" or "prefix", or leave "encode" out');
  }
  if (obfuscate && key === undefined) problems.push(`"obfuscate" needs a "key": ${KEY_RULE}`);
  if (!obfuscate && key !== undefined) problems.push('"key" is only for "obfuscate": true');
  return problems;
}

function isPrefix(prefix: string, form: FormName | undefined): boolean {
  return form === 'typeid' ? isTypeidType(prefix) : prefix.length <= 32;
}

/** Throws one `ERR_IDS_CONFIG` that lists everything wrong with `options`. */
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
