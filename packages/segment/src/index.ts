export { AdaptiveStep, type AdaptiveStepOptions } from './adaptive-step.js';
export { describeWithin } from './describe-within.js';
export type { DispenserOptions } from './dispenser-options.js';
export { ExhaustionForecast } from './exhaustion-forecast.js';
export { DECIMAL_TEXT, type IdTypeName, type IdTypes, inspectDecimal, toIdOf } from './id-format.js';
export { LastRegression } from './last-regression.js';
export { MemorySegmentSource, type SequenceStart } from './memory-segment-source.js';
export { RequestQueue, type RequestQueueOptions } from './request-queue.js';
export { type ReserveAboveOptions, reserveAbove } from './reserve-above.js';
export { LAST_ID, type Segment } from './segment.js';
export { SegmentBuffer, type SegmentBufferOptions } from './segment-buffer.js';
export { EventCounter, type SegmentCounters } from './segment-counters.js';
export { guardedListener, type SegmentEvent, type SegmentListener } from './segment-event.js';
export { type RefillFailure, type SegmentState, segmentHealth } from './segment-health.js';
export type {
  NewReign,
  ReservedSegment,
  ReserveOptions,
  SegmentSource,
  Sequence,
} from './segment-source.js';
export { type GroupUnit, groupProblem, groupsDiffer, type SequenceGroup } from './sequence-group.js';
export { SequenceMovedError } from './source-errors.js';
export { formatTicket, type Ticket, type TicketFormat, type TicketOptions, ticketOf } from './ticket.js';
export { UsageRate } from './usage-rate.js';
export { WaitReport } from './wait-report.js';
export { within } from './within.js';
