import { formatValue } from '@ids/core/strategy';
import type { SequenceOptions } from '@ids/segment';
import { type SourceOptions, segmentOptionsSchema } from '@ids/segment/sql';
import { listenerOption, wholeNumber } from '@ids/waiting';
import * as v from 'valibot';
import type { SegmentRedisDbListener } from './events.js';
import { isNodeRedisLike } from './node-redis.js';
import type { RedisClient } from './open-redis.js';
import { isRedisLike } from './scripts.js';

/** What a user writes. Exactly one of `database` and `source`. */
export interface SegmentRedisDbOptions extends Omit<SequenceOptions, 'onEvent'>, SourceOptions {
  /**
   * A `Redis` or `Cluster` of ioredis, or a connected client, cluster, sentinel or pool of node-redis (the
   * package `redis`), which stays the caller's to close; or a `redis://` URL, opened and closed here.
   */
  readonly redis: RedisClient | string;
  /** The prefix of the sequence's name in the Redis key; `ids:` by default. */
  readonly keyPrefix?: string | undefined;
  /**
   * The milliseconds after which another process may refill for one that vanished, 10 to 60,000; default
   * 3,000.
   */
  readonly lockMs?: number | undefined;
  /**
   * How many replicas must have a change before its ids are issued, 0 to 100; default 0. If it is the number
   * of ALL replicas that may be promoted, ids are in order even in split brain: an isolated primary issues
   * none. While one of those replicas is down, no ids are issued.
   */
  readonly waitReplicas?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: SegmentRedisDbListener | undefined;
}

export const DEFAULT_KEY_PREFIX = 'ids:';

const REDIS_RULE = 'must be a redis:// or rediss:// URL, or a client of ioredis or of node-redis 5 or later';

const prefixProblem = ({ input }: { readonly input: unknown }): string =>
  `must be a string without braces and white space, got ${formatValue(input)}`;

/** The options of everything that uses Redis, with defaults. */
export const redisOptions = {
  redis: v.custom<RedisClient | string>(
    (value) => isRedisUrl(value) || isRedisLike(value) || isNodeRedisLike(value),
    // The message of the schema library would quote the value, and a URL may contain a password.
    ({ input }) =>
      typeof input === 'string' ? REDIS_RULE : `${REDIS_RULE}, got a value of type ${typeof input}`,
  ),
  // Braces would change the hash tag, from which Redis Cluster computes the slot.
  keyPrefix: v.optional(
    v.pipe(v.string(prefixProblem), v.regex(/^[^{}\s]*$/, prefixProblem)),
    DEFAULT_KEY_PREFIX,
  ),
  lockMs: v.optional(wholeNumber(10, 60_000, 'milliseconds'), 3_000),
  waitReplicas: v.optional(wholeNumber(0, 100, 'replicas'), 0),
};

export const { schema: optionsSchema, names: optionNames } = segmentOptionsSchema({
  ...redisOptions,
  keyed: v.optional(v.literal(false, 'must be true or false')),
  onEvent: listenerOption<SegmentRedisDbListener>(),
});

/** The options with defaults. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;

function isRedisUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^rediss?:\/\/[^/]/.test(value);
}
