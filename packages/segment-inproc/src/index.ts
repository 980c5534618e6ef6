export type { SegmentInprocOptions } from './options.js';
export { createSegmentGenerator, segmentInproc } from './segment-inproc.js';
