// What `apps/claims` uses in workers: to measure, and to open what it measures.
export {
  keyPrefixOf,
  need,
  openRedis,
  segmentsOf,
  withRedisKey,
  withRedisSequence,
} from '../cases/backend.js';
export {
  type BenchCase,
  type CaseEnvironment,
  type ControlCase,
  type Preparable,
  type Subject,
  subjectOf,
} from '../cases/case.js';
export { memoryControl } from '../cases/controls.js';
export { caseList } from '../cases/strategies.js';
export { CALLS_FOR_P999, noLatencies, percentile, record } from '../measure/latencies.js';
export { closedLoopJob, type LoopMeasure } from '../measure/loops.js';
export { Pacer, warmUp } from '../measure/pacing.js';
export { estimate, MIN_BLOCKS, pairedRatio } from '../measure/statistics.js';
export {
  IDS_PER_CALL,
  measureUses,
  type SyncTrial,
  syncJob,
  USES,
  type Use,
} from '../measure/sync-bursts.js';
export { InvalidOutput } from '../measure/validate.js';
export type { Estimate, Ratio } from '../schema/figures.js';
export { findCase, type Job } from '../worker/job.js';
