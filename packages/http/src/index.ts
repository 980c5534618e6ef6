export type { ConnectionOptions, FetchLike } from './connection.js';
export type { HttpEvent, HttpListener } from './events.js';
export type { HttpCounters } from './generator.js';
export type { HttpSegmentIdGenerator } from './open-segments.js';
export type { HttpKeyedOptions, HttpOptions, HttpSegmentOptions } from './options.js';
export { RefusedError } from './problem.js';
export { HttpSegmentSource } from './segment-source.js';
export { createHttpGenerator, createKeyedHttpGenerator, type HttpIdGenerator, http } from './strategy.js';
