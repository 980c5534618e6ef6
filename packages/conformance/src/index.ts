export type { ConformanceCase } from './cases/conformance-case.js';
export {
  assertHistory,
  checkHistory,
  type HistoryChecks,
  type HistoryVerdict,
} from './checker/check-history.js';
export type { CompareIds } from './checker/check-order.js';
export type { HistoryLevel } from './checker/findings.js';
export {
  emptyHistory,
  type FailedCall,
  type History,
  type HistoryRecord,
  monotonicNow,
  type RecordedCall,
} from './history.js';
export { compiledModule } from './members/compiled-module.js';
export { type Recording, type RecordOptions, recordProcesses, startProcesses } from './members/recording.js';
export { type CallPlan, type RecordCallsOptions, recordCalls } from './record-calls.js';
export { conformanceCases, type RunOptions, runConformance, type TestRunner } from './run-conformance.js';
export { countDistinct, Runs } from './runs.js';
export type { OpenedSource, OpenSource } from './segment-source/opened-source.js';
export { runSegmentSourceContract, type SegmentSourceSubject } from './segment-source/run-contract.js';
export { type SegmentSourceCase, segmentSourceCases } from './segment-source/source-cases.js';
export type { ConformanceSubject } from './subject.js';
