export {
  createIds,
  type GeneratorFor,
  type Ids,
  type KeyedGeneratorFor,
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
export type { IdPart } from './id-part.js';
export type { IdStrategy } from './id-strategy.js';
export type { KeyedIdGenerator, KeyedRequestOptions } from './keyed-id-generator.js';
export { MAX_BATCH } from './requests.js';
export type {
  StoreChange,
  StoreKeyState,
  StoreKeys,
  StorePart,
  StorePosition,
  StoreProcedure,
  StoreRights,
  StoreSqlOptions,
  StoreStart,
  StoreState,
  StoreWriters,
  StrategyStore,
  TimedIds,
} from './strategy-store.js';
export { type BrandedId, typed } from './typed.js';
