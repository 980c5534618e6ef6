export type { SegmentIdGenerator } from './generator.js';
export { type SegmentInprocOptions, createSegmentGenerator, segmentInproc } from './strategy.js';
