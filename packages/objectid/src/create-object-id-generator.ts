import { parseOptions, type SyncIdGenerator } from '@ids/core';
import { objectIdGenerator } from './object-id-generator.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import { type ObjectIdOptions, type ParsedObjectIdOptions, SPECIFICATION } from './object-id-options.js';
import { randomIssuer } from './random-layout.js';

/**
 * A generator of ids of 24 lower-case hex digits. All generators of a thread, and `new ObjectId()`, issue
 * from one counter, so that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return openObjectIds(parseOptions(SPECIFICATION, options));
}

export function openObjectIds(options: ParsedObjectIdOptions): SyncIdGenerator<string> {
  return objectIdGenerator(options, objectIdGuarantees(options), randomIssuer);
}
