import { parseOptions, type SyncIdGenerator } from '@ids/core';
import { objectIdGenerator } from './object-id-generator.js';
import { type ObjectIdOptions, SPECIFICATION } from './object-id-options.js';
import { randomIssuer } from './random-layout.js';

/**
 * A generator of ids of 24 lower-case hex digits. All generators of a thread, and `new ObjectId()`, issue from one counter, so
 * that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return objectIdGenerator(parseOptions(SPECIFICATION, options), randomIssuer);
}
