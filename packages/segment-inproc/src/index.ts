export type { SegmentIdGenerator } from './generator.js';
export type { SegmentInprocOptions } from './strategy.js';
export { createSegmentGenerator, segmentInproc } from './strategy.js';
