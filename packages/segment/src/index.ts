export { AdaptiveStep, type AdaptiveStepOptions } from './adaptive-step.js';
export { BurstDispenser, type BurstDispenserOptions } from './burst-dispenser.js';
export {
  EventCounter,
  guardedListener,
  LastRegression,
  type SegmentCounters,
  type SegmentEvent,
  type SegmentListener,
} from './events.js';
export { type GroupUnit, groupProblem, groupsDiffer, type SequenceGroup } from './groups/sequence-group.js';
export {
  formatTicket,
  type ParsedTicket,
  parseTicket,
  type TicketFormat,
  type TicketOptions,
} from './groups/ticket.js';
export {
  ExhaustionForecast,
  type RefillFailure,
  segmentHealth,
  UsageRate,
} from './health.js';
export { DECIMAL_TEXT, type IdTypeName, type IdTypes, inspectDecimal, toIdOf } from './id-format.js';
export { KnownReigns } from './known-reigns.js';
export { MemorySegmentSource, type SequenceStart } from './memory-segment-source.js';
export type { SequenceOptions } from './options.js';
export { RequestQueue, type RequestQueueOptions } from './request-queue.js';
export {
  attemptRefill,
  backOffMs,
  type RefillAttempt,
  type ReserveAboveOptions,
  refillFailure,
  reserveAbove,
} from './reserve-above.js';
export { assertSequenceName, type ExpiringSegment, LAST_ID, type Segment } from './segment.js';
export { SegmentBuffer, type SegmentBufferOptions } from './segment-buffer.js';
export {
  assertReservable,
  describeWithin,
  type NewReign,
  type Origin,
  type Reigns,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
} from './segment-source.js';
export { starvedFailure } from './starvation.js';
