export type { Environment } from './environment.js';
export { defineConfig, type GeneratorConfig, type IdsConfig } from './ids-config.js';
export { type LoadConfigOptions, loadConfig } from './load-config.js';
export { type Needs, unmetNeeds } from './needs.js';
export { type OpenedIds, type OpenIdsOptions, openIds } from './open-ids.js';
