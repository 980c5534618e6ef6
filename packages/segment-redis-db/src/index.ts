export { hashKey } from './dispenser-hash.js';
export type { RedisSegmentCounters, RedisSegmentEvent, RedisSegmentListener, VoidReason } from './events.js';
export type { RedisSegmentIdGenerator } from './generator.js';
export { type InspectOptions, inspectSequence, type SequenceInspection } from './inspect-sequence.js';
export { DEFAULT_KEY_PREFIX, type RedisSegmentOptions } from './options.js';
export { MINIMAL_ACL } from './redis-error.js';
export type { PipelineLike, RedisLike } from './scripts.js';
export { createRedisSegmentGenerator, segmentRedisDb } from './strategy.js';
