import type { SequenceOptions } from '@ids/segment';
import { listenerOption, type SourceOptions, segmentOptionsSchema, wholeNumber } from '@ids/segment/sql';
import * as v from 'valibot';
import type { RedisSegmentListener } from './events.js';
import { isRedisLike, type RedisLike } from './scripts.js';

/** What a user writes. Exactly one of `database` and `source`. */
export interface RedisSegmentOptions extends Omit<SequenceOptions, 'onEvent'>, SourceOptions {
  /**
   * An ioredis `Redis` or `Cluster`, which stays the caller's to close, or a `redis://`
   * URL, opened and closed here.
   */
  readonly redis: RedisLike | string;
  /** Stands before the sequence's name in the Redis key; `ids:` by default. */
  readonly keyPrefix?: string | undefined;
  /**
   * After how many milliseconds another process may refill in the place of one that vanished, 10 to
   * 60,000; 3,000 by default.
   */
  readonly lockMs?: number | undefined;
  /**
   * Replicas that must have a change before its ids are given, 0 to 100; 0 by default. Set to the number of
   * ALL replicas that may be promoted, it keeps the order even in split brain: an isolated primary gives no
   * ids. Without those replicas there are none.
   */
  readonly waitReplicas?: number | undefined;
  /** Told what happens behind the generator. What it throws becomes a process warning. */
  readonly onEvent?: RedisSegmentListener | undefined;
}

export const DEFAULT_KEY_PREFIX = 'ids:';

const REDIS_RULE = 'must be a redis:// or rediss:// URL, or an ioredis client';

export const { schema: optionsSchema, names: optionNames } = segmentOptionsSchema({
  redis: v.custom<RedisLike | string>(
    (value) => isRedisUrl(value) || isRedisLike(value),
    // In our own words: those of the schema library quote the value, and a URL holds a password.
    ({ input }) =>
      typeof input === 'string' ? REDIS_RULE : `${REDIS_RULE}, got a value of type ${typeof input}`,
  ),
  // Braces would move the hash tag, by which Redis Cluster finds the key's slot.
  keyPrefix: v.optional(
    v.pipe(v.string(), v.regex(/^[^{}\s]*$/, 'must hold no braces and no white space')),
    DEFAULT_KEY_PREFIX,
  ),
  lockMs: v.optional(wholeNumber(10, 60_000, 'milliseconds'), 3_000),
  waitReplicas: v.optional(wholeNumber(0, 100, 'replicas'), 0),
  onEvent: listenerOption<RedisSegmentListener>(),
});

/** The options with their defaults filled in. */
export type ParsedOptions = v.InferOutput<typeof optionsSchema>;

function isRedisUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^rediss?:\/\/[^/]/.test(value);
}
