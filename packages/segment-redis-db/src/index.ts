export { hashKey } from './dispenser-hash.js';
export type {
  SegmentRedisDbCounters,
  SegmentRedisDbEvent,
  SegmentRedisDbListener,
  VoidReason,
} from './events.js';
export type { SegmentRedisDbIdGenerator } from './generator.js';
export { type InspectOptions, inspectSequence, type SequenceInspection } from './inspect-sequence.js';
export type { KeyedSegmentRedisDbEvent, KeyedSegmentRedisDbListener } from './keyed/events.js';
export { type InspectKeyOptions, inspectKey, type KeyInspection } from './keyed/inspect-key.js';
export type { KeyedSegmentRedisDbOptions } from './keyed/options.js';
export type { NodeRedisLike } from './node-redis.js';
export type { RedisClient } from './open-redis.js';
export { DEFAULT_KEY_PREFIX, type SegmentRedisDbOptions } from './options.js';
export { KEYED_ACL, MINIMAL_ACL } from './redis-error.js';
export type { PipelineLike, RedisLike } from './scripts.js';
export { type ServerFacts, serverFacts } from './server-facts.js';
export {
  createKeyedSegmentRedisDbGenerator,
  createSegmentRedisDbGenerator,
  segmentRedisDb,
} from './strategy.js';
