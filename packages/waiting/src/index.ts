export { BurstSupply, type BurstSupplyOptions } from './burst-supply.js';
export { Deadlines } from './deadlines.js';
export { Demand } from './demand.js';
export { EventJournal } from './event-journal.js';
export { type Failure, LastFailure } from './failure.js';
export { guardedListener } from './guarded-listener.js';
export { healthOf } from './health.js';
export { HeldFront, type HeldFrontParts } from './held-front.js';
export type { HeldIds, Range } from './held-ids.js';
export { DAY_MS, listenerOption, wholeNumber } from './options.js';
export { noIdWithin, RequestQueue, type RequestQueueOptions } from './request-queue.js';
export {
  attemptMs,
  backOffMs,
  callersAskedAgain,
  endOfTurn,
  PAUSE_MS,
  type Pause,
  RetryLoop,
  type RetryLoopOptions,
} from './retry-loop.js';
export { starvedFailure } from './starvation.js';
export type { HeldSupply, Supply } from './supply.js';
export { UsageRate } from './usage-rate.js';
export { type WaitEvent, WaitReport } from './wait-report.js';
export { WaitingFront, type WaitingFrontParts } from './waiting-front.js';
export { withTimeout } from './with-timeout.js';
