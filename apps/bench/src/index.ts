export type {
  BenchCase,
  CaseEnvironment,
  CaseList,
  ControlCase,
  StrategyCase,
  Subject,
} from './bench-case.js';
