export { columnFindings } from './column-findings.js';
export {
  type ConfigWarning,
  type Environment,
  type Setting,
  secretHider,
  shownSetting,
  variableFor,
} from './environment.js';
export type { Logger, LogLevel } from './event-log.js';
export { defineConfig, type GeneratorConfig, type IdsConfig } from './ids-config.js';
export { configJsonSchema, type JsonSchema } from './json-schema.js';
export { type LoadConfigOptions, loadConfig, type ReadConfig, readConfig } from './load.js';
export { type Needs, unmetNeeds } from './needs.js';
export { type GeneratorMeeting, type OpenedIds, type OpenIdsOptions, openIds } from './open-ids.js';
export {
  type ConfiguredGenerator,
  type PlanOptions,
  planGenerator,
  planGenerators,
} from './plan-generators.js';
export type {
  ColumnFacts,
  SwapFinding,
  SwapOptions,
  SwapPlan,
  SwapSide,
  SwapStep,
} from './swap-facts.js';
export { planSwap } from './swap-plan.js';
