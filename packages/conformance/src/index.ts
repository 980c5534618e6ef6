export type { ConformanceCase } from './cases/conformance-case.js';
export { conformanceCases } from './cases/conformance-cases.js';
export {
  assertHistory,
  checkHistory,
  type HistoryChecks,
  type HistoryVerdict,
} from './checker/check-history.js';
export type { CompareIds } from './checker/compare-ids.js';
export type { HistoryLevel } from './checker/findings.js';
export {
  emptyHistory,
  type FailedCall,
  type History,
  type HistoryRecord,
  monotonicNow,
  type RecordedCall,
} from './history/history.js';
export { type CallPlan, type RecordCallsOptions, recordCalls } from './history/record-calls.js';
export { type RecordOptions, recordProcesses, startProcesses } from './members/record-processes.js';
export type { Recording } from './members/recording.js';
export { runConformance, type TestRunner } from './run-conformance.js';
export type { ConformanceSubject } from './subject.js';
