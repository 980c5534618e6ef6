// For authors of strategies. Services use the main entry.
export { parseOptions } from './create-ids.js';
export { defineGuarantees } from './guarantees.js';
export type {
  GeneratorVariant,
  SchemaIssue,
  StandardSchemaV1,
} from './id-strategy.js';
export { Lifecycle } from './lifecycle.js';
export { flatText, type MemoryGeneratorParts, memoryGenerator } from './memory-generator.js';
export { abortable, assertBatchCount, onAbort } from './requests.js';
export { turnNow } from './turn-clock.js';
export { nearestName, shownValue, unknownName } from './wording.js';
