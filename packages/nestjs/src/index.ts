export { IdErrorFilter } from './id-error-filter.js';
export { IdsModule, type IdsModuleAsyncOptions, type IdsModuleOptions } from './ids-module.js';
export { InjectIds, InjectKeyedIds, idsToken, keyedIdsToken } from './tokens.js';
