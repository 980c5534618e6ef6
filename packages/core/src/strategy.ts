// For authors of strategies. Services use the main entry.
export { parseOptions } from './create-ids.js';
export { defineGuarantees } from './guarantees.js';
export { flatText, hexDigits, threeDigits } from './hex.js';
export type {
  GeneratorVariant,
  SchemaIssue,
  StandardSchemaV1,
} from './id-strategy.js';
export { Lifecycle, snapshotUnderWay } from './lifecycle.js';
export { type MemoryGeneratorParts, memoryGenerator } from './memory-generator.js';
export { ownText } from './own-text.js';
export { keepsProcessAlive, type PauseOptions, pause } from './pause.js';
export { randomValues } from './random-values.js';
export { abortable, assertBatchCount, onAbort } from './requests.js';
export { timeOfDate } from './time-of-date.js';
export { formatValue, nearestName, ruleMessage, unknownNameMessage } from './wording.js';
