export { assertKey, MAX_KEY_BYTES } from './key.js';
export { KeyedDispenser, type KeyedDispenserOptions } from './keyed-dispenser.js';
export {
  type KeyedCounters,
  type KeyedEvent,
  KeyedJournal,
  type KeyedListener,
  type KeyedNotes,
} from './keyed-events.js';
export {
  type KeyAnswer,
  type KeyedAnswer,
  type KeyedReserveOptions,
  type KeyedSource,
  type KeyRequest,
  sequenceOf,
} from './keyed-source.js';
export { MemoryKeyedSource } from './memory-keyed-source.js';
