export {
  createIds,
  type GeneratorFor,
  type Ids,
  type PlannedGenerator,
  type StrategyConfig,
} from './create-ids.js';
export { defineGuarantees, type Guarantees, isAsStrong, isDecimal, STRENGTHS } from './guarantees.js';
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
export {
  type GeneratorVariant,
  type IdPart,
  type IdStrategy,
  parseOptions,
  type SchemaIssue,
  type StandardSchemaV1,
} from './id-strategy.js';
export { Lifecycle } from './lifecycle.js';
export { flatText, type MemoryGeneratorParts, memoryGenerator } from './memory-generator.js';
export { abortable, assertBatchCount, MAX_BATCH, onAbort } from './requests.js';
export { type BrandedId, typed } from './typed.js';
export { nearestName, shownValue, unknownName } from './wording.js';
