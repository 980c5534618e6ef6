import { formatValue, ruleMessage } from '@ids/core/strategy';
import type { KeyedListener } from '@ids/keyed';
import { type IdTypeName, MAX_STEP, type SegmentListener, stepProblem } from '@ids/segment';
import { DAY_MS, listenerOption, wholeNumber } from '@ids/waiting';
import * as v from 'valibot';
import type { ConnectionOptions, FetchLike } from './connection.js';
import type { HttpListener } from './events.js';

interface SharedOptions extends ConnectionOptions {
  /** The name of the generator on the server. In a config file, by default its own name. */
  readonly name: string;
  /** The type of the ids; default `number`, of at most 16 digits. */
  readonly as?: IdTypeName | undefined;
  /** How long a call may wait for an id, in milliseconds, 1 to 86,400,000 (a day); default 5,000. */
  readonly deadlineMs?: number | undefined;
}

/** What a user writes for ids that the server issues. */
export interface HttpOptions extends SharedOptions {
  /** The server issues each id, so that their order is that of its generator. */
  readonly mode?: 'ids' | undefined;
  /** What the strings of ids are; default `decimal`. The others need `as: 'string'`. */
  readonly text?: TextKind | undefined;
  /** The order across processes that the server must promise; default `none`. */
  readonly order?: 'none' | 'real-time' | undefined;
  /** When numbers may be missing; default `on-restart`. A lost answer is a gap, so there is no `never`. */
  readonly gaps?: 'on-restart' | 'on-fault' | undefined;
  /** All that ids may disclose; by default everything, which any server fulfils. */
  readonly discloses?: readonly Disclosure[] | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: HttpListener | undefined;
}

/** What a user writes for ids of ranges that are leased from the server, and issued from memory. */
export interface HttpSegmentOptions extends SharedOptions {
  readonly mode: 'segments';
  /** The fewest ids to lease at once, 1 to 10^9; default 1,000. */
  readonly minStep?: number | undefined;
  /** The most ids to lease at once, `minStep` to 10^9; default 1,000,000. The server has a limit as well. */
  readonly maxStep?: number | undefined;
  /**
   * The most ids that may be leased but not issued at any moment, which a crash loses: at least one and a
   * half times `minStep`. No limit by default.
   */
  readonly maxIdsLost?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: SegmentListener | undefined;
}

/** What a user writes for sequences by key, which the server issues in real-time order within each key. */
export interface HttpKeyedOptions extends SharedOptions, Pick<HttpOptions, 'gaps' | 'discloses'> {
  readonly keyed: true;
  readonly mode?: 'ids' | undefined;
  /** A keyed generator always claims it. */
  readonly order?: 'real-time' | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: KeyedListener | undefined;
}

type TextKind = 'decimal' | 'uuid' | 'any';

export const DISCLOSURES = ['time', 'volume', 'host', 'address', 'process'] as const;
type Disclosure = (typeof DISCLOSURES)[number];

/** What `url` must be. */
const URL_RULE = 'must be an http: or https: URL without user, query and fragment';

function isServerUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

/** A URL may hold a password, which must not be in a message. */
function shownUrl(input: unknown): string {
  return typeof input === 'string' && input.includes('@') ? 'one with a user' : formatValue(input);
}

function oneOf<const T extends string>(...values: readonly T[]) {
  const rule = `must be ${values.map((value) => `"${value}"`).join(', ')}`.replace(/, ([^,]*)$/, ' or $1');
  return v.custom<T>((value) => values.includes(value as T), ruleMessage(rule));
}

/** The schemas of `ConnectionOptions`, by name. */
export const connectionEntries = {
  url: v.custom<string>(isServerUrl, ({ input }) => `${URL_RULE}, got ${shownUrl(input)}`),
  token: v.optional(
    v.custom<string>(
      // What a header can hold, and no blank, which would be lost at its ends.
      (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
      'must be a string of visible ASCII characters',
    ),
  ),
  fetch: v.optional(
    v.custom<FetchLike>((value) => typeof value === 'function', ruleMessage('must be a function like fetch')),
  ),
};

/** Of ids that the server issues. */
const claimEntries = {
  text: v.optional(oneOf<TextKind>('decimal', 'uuid', 'any')),
  order: v.optional(oneOf('none', 'real-time')),
  gaps: v.optional(oneOf('on-restart', 'on-fault')),
  discloses: v.optional(v.array(oneOf<Disclosure>(...DISCLOSURES))),
};

/** Of ranges that are leased. */
const stepEntries = {
  minStep: v.optional(wholeNumber(1, MAX_STEP)),
  maxStep: v.optional(wholeNumber(1, MAX_STEP)),
  maxIdsLost: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
};

const entries = {
  ...connectionEntries,
  name: v.custom<string>(
    (value) => typeof value === 'string' && value !== '',
    ruleMessage('must be the name of a generator on the server'),
  ),
  mode: v.optional(oneOf('ids', 'segments'), 'ids'),
  keyed: v.optional(v.boolean(ruleMessage('must be true or false'))),
  as: v.optional(oneOf<IdTypeName>('number', 'bigint', 'string'), 'number'),
  ...claimEntries,
  ...stepEntries,
  deadlineMs: v.optional(wholeNumber(1, DAY_MS), 5_000),
  onEvent: listenerOption<HttpListener & SegmentListener & KeyedListener>(),
};

/** The names of all options. */
export const optionNames = Object.keys(entries);

const schema = v.object(entries);

/** The options with defaults. */
export type ParsedOptions = v.InferOutput<typeof schema>;

/** The schema of all options. */
export const optionsSchema = v.pipe(
  schema,
  v.check(
    (options) => problem(options) === undefined,
    ({ input }) => problem(input) ?? '',
  ),
);

/** The steps with defaults. */
export function stepsOf({ minStep = 1_000, maxStep = 1_000_000, maxIdsLost }: ParsedOptions) {
  return { minStep, maxStep, maxIdsLost };
}

/** Why options that are valid one by one do not go together; undefined if they do. */
function problem(options: ParsedOptions): string | undefined {
  const { mode, keyed = false, as, text = 'decimal', order } = options;
  if (keyed && mode === 'segments') return 'option "keyed": needs "mode": "ids", got "segments"';
  if (keyed && order === 'none') return 'option "keyed": needs "order": "real-time", got "none"';
  if (keyed && text !== 'decimal') return `option "keyed": needs "text": "decimal", got "${text}"`;
  const foreign = Object.keys(mode === 'ids' ? stepEntries : claimEntries).find(
    (name) => options[name as keyof ParsedOptions] !== undefined,
  );
  if (foreign !== undefined) {
    const other = mode === 'ids' ? 'segments' : 'ids';
    return `option "${foreign}": belongs to "mode": "${other}"`;
  }
  if (mode === 'segments') return stepProblem(stepsOf(options));
  if (text !== 'decimal' && as !== 'string')
    return `option "text": "${text}" needs "as": "string", got "${as}"`;
  if (text !== 'decimal' && order === 'real-time')
    return `option "order": "real-time" needs "text": "decimal", got "${text}"`;
  return undefined;
}
