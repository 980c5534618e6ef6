export { configFilesIn } from './config-file.js';
export {
  type ConfigWarning,
  type Environment,
  type Setting,
  variableFor,
} from './environment.js';
export type { Logger, LogLevel } from './event-log.js';
export { defineConfig, type GeneratorConfig, type IdsConfig } from './ids-config.js';
export { configJsonSchema, type JsonSchema } from './json-schema.js';
export { type LoadConfigOptions, loadConfig, type ReadConfig, readConfig } from './load.js';
export { type Needs, unmetNeeds } from './needs.js';
export { type OpenGenerator, openGenerator } from './open-generator.js';
export { type OpenIdsOptions, openIds } from './open-ids.js';
export type { GeneratorMeeting, KeyedGeneratorMeeting, OpenedIds } from './opened-ids.js';
export {
  type ConfiguredGenerator,
  type PlanOptions,
  planGenerator,
  planGenerators,
} from './plan-generators.js';
export { secretHider, shownSetting } from './secrets.js';
export {
  type ConfiguredSeries,
  type PlannedSeries,
  planSeries,
  type StartAfter,
} from './series/plan-series.js';
export type { SeriesConfig, StartAfterConfig } from './series/series-config.js';
