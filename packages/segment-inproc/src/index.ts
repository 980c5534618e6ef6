export type { SegmentInprocOptions } from './options.js';
export type { SegmentIdGenerator } from './segment-generator.js';
export { createSegmentGenerator, segmentInproc } from './segment-inproc.js';
