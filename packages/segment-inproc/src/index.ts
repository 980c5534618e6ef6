export type { SegmentIdGenerator } from './generator.js';
export { createSegmentGenerator, type SegmentInprocOptions, segmentInproc } from './strategy.js';
