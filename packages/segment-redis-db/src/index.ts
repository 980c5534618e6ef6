export { type InspectOptions, inspectSequence, type SequenceInspection } from './inspect-sequence.js';
export type { RedisSegmentOptions } from './options.js';
export { MINIMAL_ACL } from './redis-error.js';
export type { RedisLike } from './redis-like.js';
export { createRedisSegmentGenerator, segmentRedisDb } from './segment-redis-db.js';
