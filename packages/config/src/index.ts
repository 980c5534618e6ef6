export type { Environment } from './environment.js';
export type { Logger, LogLevel } from './event-log.js';
export { defineConfig, type GeneratorConfig, type IdsConfig } from './ids-config.js';
export { configJsonSchema, type JsonSchema } from './json-schema.js';
export type { Setting } from './layers.js';
export { type LoadConfigOptions, loadConfig, type ReadConfig, readConfig } from './load-config.js';
export { type Needs, unmetNeeds } from './needs.js';
export { type GeneratorMeeting, type OpenedIds, type OpenIdsOptions, openIds } from './open-ids.js';
export {
  type ConfiguredGenerator,
  type PlanOptions,
  planGenerator,
  planGenerators,
} from './plan-generators.js';
export { secretHider, shownSetting } from './secrets.js';
export type { ConfigWarning } from './stray-variables.js';
export { columnFindings } from './swap-column.js';
export type { ColumnFacts, SwapFinding, SwapPlan, SwapSide } from './swap-finding.js';
export { planSwap } from './swap-plan.js';
