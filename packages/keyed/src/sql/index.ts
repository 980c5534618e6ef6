export type { DeleteKeyOptions, KeyedGrantOptions } from '../table/dialect.js';
export { keyTableOf } from '../table/key-table.js';
export type { DescribeKeyOptions, KeyDescription, RaiseKeyOptions } from '../table/one-key.js';
export { DEFAULT_KEY_SKIP, type SqlKeyedSourceOptions } from '../table/options.js';
export {
  deleteKey,
  describeKey,
  ensureKeyedSchema,
  keyedGrants,
  keyedSchema,
  lackingKeyRights,
  missingKeyedSchema,
  raiseKey,
  SqlKeyedSource,
  whoIssued,
} from './any-dialect.js';
export { type OpenKeyedSourceOptions, openKeyedSource } from './open.js';
export { type KeyedStoreOptions, keyedStore } from './store.js';
