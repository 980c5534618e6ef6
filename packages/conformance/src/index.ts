export type { CompareIds } from '@ids/core/order';
export type { ConformanceCase } from './cases/conformance-case.js';
export {
  assertHistory,
  checkHistory,
  type HistoryChecks,
  type HistoryVerdict,
} from './checker/check-history.js';
export type { HistoryLevel } from './checker/findings.js';
export {
  emptyHistory,
  type FailedCall,
  type History,
  type HistoryRecord,
  historiesByKey,
  monotonicNow,
  type RecordedCall,
} from './history.js';
export type { FamilyGroup } from './keyed/days.js';
export type { KeyedConformanceCase, KeyedConformanceSubject } from './keyed/keyed-case.js';
export { keyedConformanceCases, runKeyedConformance } from './keyed/run-keyed-conformance.js';
export type { KeyedSourceCase } from './keyed-source/key-source-cases.js';
export type {
  AnsweredKey,
  KeyedSourceCalls,
  OpenedKeyedSource,
  OpenKeyedSource,
  RequestedKey,
} from './keyed-source/opened-keyed-source.js';
export {
  type KeyedSourceSubject,
  keyedSourceCases,
  runKeyedSourceContract,
} from './keyed-source/run-keyed-source-contract.js';
export { compiledModule } from './members/compiled-module.js';
export { type Recording, type RecordOptions, recordProcesses, startProcesses } from './members/recording.js';
export { type CallPlan, type RecordCallsOptions, recordCalls } from './record-calls.js';
export { conformanceCases, type RunOptions, runConformance, type TestRunner } from './run-conformance.js';
export { countDistinct, Runs } from './runs.js';
export type { OpenedSource, OpenSource } from './segment-source/opened-source.js';
export { runSegmentSourceContract, type SegmentSourceSubject } from './segment-source/run-contract.js';
export { type SegmentSourceCase, segmentSourceCases } from './segment-source/source-cases.js';
export { runStoreContract, type StoreSubject } from './store/run-store-contract.js';
export {
  type OpenedStore,
  type OpenStore,
  type StoreCase,
  type StoreFeature,
  storeCases,
} from './store/store-cases.js';
export type { ConformanceSubject } from './subject.js';
export { runWithinConformance } from './within/run-within-conformance.js';
export { type WithinCase, withinCases } from './within/within-cases.js';
export type { WithinCaller, WithinSeries, WithinSubject } from './within/within-subject.js';
