export { DECIMAL_TEXT, type IdTypeName, type IdTypes, toIdOf } from './id-format.js';
export { MemorySegmentSource, type SequenceStart } from './memory-segment-source.js';
export { RequestQueue, type RequestQueueOptions } from './request-queue.js';
export { type ReserveAboveOptions, reserveAbove } from './reserve-above.js';
export { LAST_ID, type Segment } from './segment.js';
export type { SegmentEvent, SegmentListener } from './segment-event.js';
export type { ReserveOptions, SegmentSource, Sequence } from './segment-source.js';
