import { ruleMessage } from '@ids/core/strategy';
import { groupProblem, type SequenceGroup } from '@ids/segment';
import { segmentOptionsSchema, wholeNumber } from '@ids/segment/sql';
import { listenerOption } from '@ids/waiting';
import * as v from 'valibot';
import { redisOptions, type SegmentRedisDbOptions } from '../options.js';
import type { KeyedSegmentRedisDbListener } from './events.js';

/** As of every strategy with steps. */
const MAX_STEP = 1_000_000_000;
/** A month, in milliseconds. */
const LONGEST_IDLE_MS = 31 * 86_400_000;

const { schema, names } = segmentOptionsSchema({
  ...redisOptions,
  keyed: v.literal(true, ruleMessage('must be true here')),
  // Of one key: so far less than of a sequence that all share.
  minStep: v.optional(wholeNumber(1, MAX_STEP), 2),
  maxStep: v.optional(wholeNumber(1, MAX_STEP), 1_000_000),
  idleMs: v.optional(wholeNumber(1_000, LONGEST_IDLE_MS, 'milliseconds')),
  group: v.optional(
    v.custom<SequenceGroup>(
      (value) => groupProblem(value) === undefined,
      ({ input }) => groupProblem(input) ?? '',
    ),
  ),
  accept: v.optional(
    v.custom<(key: string) => boolean>(
      (value) => typeof value === 'function',
      ruleMessage('must be a function of a key'),
    ),
  ),
  maxNewKeysPerSecond: v.optional(wholeNumber(1, 1_000_000)),
  onEvent: listenerOption<KeyedSegmentRedisDbListener>(),
});

/** The names of all options. */
export const keyedOptionNames = names;

/** The schema of all options. */
export const keyedOptionsSchema = v.pipe(
  schema,
  v.check(
    (options) => keyedProblem(options) === undefined,
    ({ input }) => keyedProblem(input) ?? '',
  ),
);

/** The options with defaults. */
export type ParsedKeyedOptions = v.InferOutput<typeof schema>;

/** What a user writes for sequences by key. */
export interface KeyedSegmentRedisDbOptions
  extends Omit<
    SegmentRedisDbOptions,
    'source' | 'minStep' | 'maxStep' | 'maxIdsLost' | 'log' | 'owner' | 'onEvent'
  > {
  readonly keyed: true;
  /** The fewest ids of one key to reserve at once, 1 to 10^9; default 2. A new key begins with it. */
  readonly minStep?: number | undefined;
  /** The most ids of one key to reserve at once, `minStep` to 10^9; default 1,000,000. */
  readonly maxStep?: number | undefined;
  /**
   * The most ids *of one key* that may be reserved but not issued at any moment, which a loss of Redis loses.
   * At least one and a half times `minStep`. No limit by default.
   */
  readonly maxIdsLost?: number | undefined;
  /**
   * How long Redis keeps a key that is not used, in milliseconds, 1,000 to 31 days; default: as long as it
   * has room. The ids that are left of it then are a gap without a fault, so the generator claims `gaps:
   * 'on-restart'`.
   */
  readonly idleMs?: number | undefined;
  /**
   * The groups that the family must have, so that a wrong day or zone is detected at the start. By default,
   * any groups are accepted.
   */
  readonly group?: SequenceGroup | undefined;
  /**
   * Whether ids of this key may be issued, so that callers cannot invent keys: others are rejected with a
   * `RangeError`. Called for each request. By default, of any key.
   */
  readonly accept?: ((key: string) => boolean) | undefined;
  /**
   * How many keys may get their first ids per second in this process, 1 to 1,000,000. The calls for others
   * wait. No limit by default.
   */
  readonly maxNewKeysPerSecond?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: KeyedSegmentRedisDbListener | undefined;
}

/** Why options do not go together; undefined if they do. */
function keyedProblem({ source, log = false, owner }: ParsedKeyedOptions): string | undefined {
  if (source !== undefined) return 'option "source": a sequence by key needs a "database"';
  if (log) return 'option "log": the ids of a key are not logged yet';
  if (owner !== undefined) return 'option "owner": the leases of a key have no label';
  return undefined;
}
