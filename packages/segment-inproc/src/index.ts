export type { OrderedSegmentInprocIdGenerator, SegmentInprocIdGenerator } from './generator.js';
export type {
  KeyedSegmentInprocOptions,
  OrderedSegmentInprocOptions,
  SegmentInprocOptions,
} from './options.js';
export {
  createKeyedSegmentInprocGenerator,
  createSegmentInprocGenerator,
  segmentInproc,
} from './strategy.js';
