export { assertSequenceName, type Origin, type Reigns } from '@ids/store';
export {
  backOffMs,
  guardedListener,
  RequestQueue,
  type RequestQueueOptions,
  starvedFailure,
  UsageRate,
  wholeNumber,
} from '@ids/waiting';
export { AdaptiveStep, type AdaptiveStepOptions, assertBatchWithin } from './adaptive-step.js';
export { BurstDispenser, type BurstDispenserOptions } from './burst-dispenser.js';
export type { ReinstatedEvent, SegmentCounters, SegmentEvent, SegmentListener } from './events.js';
export { ExhaustionForecast } from './exhaustion-forecast.js';
export { endOfGroup, groupAt, inOneGroup, isSteadyZone, type OpenGroup } from './groups/group-clock.js';
export {
  GROUP_CAPACITY,
  type GroupUnit,
  groupProblem,
  groupsDiffer,
  type SequenceGroup,
} from './groups/sequence-group.js';
export {
  formatTicket,
  type ParsedTicket,
  parseTicket,
  type TicketFormat,
  type TicketOptions,
} from './groups/ticket.js';
export { DECIMAL_TEXT, type IdTypeName, type IdTypes, inspectDecimal, toIdOf } from './id-format.js';
export { Journal } from './journal.js';
export { KnownReigns, SupersededReignError } from './known-reigns.js';
export { MemorySegmentSource, newRealm, type SequenceStart } from './memory-segment-source.js';
export {
  type ParsedSequenceOptions,
  type SequenceOptions,
  sequenceOptions,
  stepProblem,
} from './options.js';
export { meet, orReinstated, type Reinstating } from './reinstate.js';
export {
  attemptRefill,
  type RefillAttempt,
  type ReserveAboveOptions,
  refillError,
  reserveAbove,
} from './reserve-above.js';
export { type ExpiringSegment, LAST_ID, MAX_STEP, type Segment } from './segment.js';
export { SegmentBuffer, type SegmentBufferOptions } from './segment-buffer.js';
export {
  assertReservable,
  describeWithin,
  type FormerPrimary,
  isSegmentSource,
  type NewReign,
  type Reinstated,
  type ReinstateOptions,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
} from './segment-source.js';
export { exactId, type Grant, type Provenance, provenanceOf } from './table/grant-log.js';
export { groupIn } from './table/sequence-row.js';
export { DEFAULT_TABLE } from './table/wording.js';
export { greatestUsable, keysUsedUp, usedUpAt } from './used-up.js';
