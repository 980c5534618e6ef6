// What `apps/claims` uses in workers: to measure, and to open what it measures.
export { dropKey, keyPrefixOf, need, segmentsOf, withRedisSequence } from '../cases/backend.js';
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
export { CALLS_FOR_P999 } from '../measure/latencies.js';
export { closedLoopJob, latencyHistogram } from '../measure/loops.js';
export { Pacer, warmUp } from '../measure/pacing.js';
export { estimate, MIN_BLOCKS, pairedRatio } from '../measure/statistics.js';
export { measureUses, syncJob, type Use } from '../measure/sync-bursts.js';
export { InvalidOutput } from '../measure/validate.js';
export type { Claim, FigureRef, Figures } from '../schema/claims.js';
export type { Estimate, LoopMeasure, Ratio, SyncTrial } from '../schema/figures.js';
export { findCase, type Job } from '../worker/job.js';
