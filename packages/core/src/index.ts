export {
  createIds,
  type GeneratorFor,
  type Ids,
  type PlannedGenerator,
  type StrategyConfig,
} from './create-ids.js';
export { type Guarantees, isAsStrong, isDecimal, isUuid, STRENGTHS } from './guarantees.js';
export { IdError, type IdErrorCode, type IdErrorOptions, isIdError } from './id-error.js';
export {
  type Counters,
  type Health,
  type Id,
  type IdGenerator,
  isSyncGenerator,
  type RequestOptions,
  type SyncIdGenerator,
} from './id-generator.js';
export type { IdPart, IdStrategy, StrategyTable } from './id-strategy.js';
export { MAX_BATCH } from './requests.js';
export { type BrandedId, typed } from './typed.js';
