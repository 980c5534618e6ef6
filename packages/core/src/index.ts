export { abortable } from './abortable.js';
export { assertBatchCount, MAX_BATCH } from './batch-count.js';
export type { Counters } from './counters.js';
export {
  createIds,
  type GeneratorFor,
  type GeneratorOf,
  type Ids,
  type PlannedGenerator,
  type StrategyConfig,
} from './create-ids.js';
export { defineGuarantees } from './define-guarantees.js';
export { flatText } from './flat-text.js';
export type { Guarantees } from './guarantees.js';
export type { Health } from './health.js';
export type { Id } from './id.js';
export { IdError, type IdErrorCode, type IdErrorOptions, isIdError } from './id-error.js';
export {
  type IdGenerator,
  isSyncGenerator,
  type RequestOptions,
  type SyncIdGenerator,
} from './id-generator.js';
export type { IdPart } from './id-inspection.js';
export type { IdStrategy } from './id-strategy.js';
export { Lifecycle } from './lifecycle.js';
export { type MemoryGeneratorParts, memoryGenerator } from './memory-generator.js';
export { onAbort } from './on-abort.js';
export { parseOptions } from './parse-options.js';
export { shownValue } from './shown-value.js';
export type { SchemaIssue, StandardSchemaV1 } from './standard-schema.js';
export { type BrandedId, typed } from './typed.js';
export { nearestName, unknownName } from './unknown-name.js';
