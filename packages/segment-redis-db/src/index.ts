export { type InspectOptions, inspectSequence, type SequenceInspection } from './inspect-sequence.js';
export type { RedisSegmentOptions } from './options.js';
export { MINIMAL_ACL } from './redis-error.js';
export type { PipelineLike, RedisLike } from './redis-like.js';
export type { RedisSegmentCounters } from './redis-segment-counters.js';
export type { RedisSegmentEvent, RedisSegmentListener, VoidReason } from './redis-segment-event.js';
export type { RedisSegmentIdGenerator } from './redis-segment-generator.js';
export { createRedisSegmentGenerator, segmentRedisDb } from './segment-redis-db.js';
