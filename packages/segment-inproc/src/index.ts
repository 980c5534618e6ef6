export type { OrderedSegmentIdGenerator, SegmentIdGenerator } from './generator.js';
export {
  createSegmentGenerator,
  type OrderedSegmentOptions,
  type SegmentInprocOptions,
  segmentInproc,
} from './strategy.js';
