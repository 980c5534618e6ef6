import { type IdStrategy, parseOptions, type SyncIdGenerator } from '@ids/core';
import { inspectObjectId } from './inspect-object-id.js';
import { objectIdGenerator } from './object-id-generator.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import {
  CHOICES,
  type ObjectIdOptions,
  optionsSchema,
  type ParsedObjectIdOptions,
} from './object-id-options.js';
import { randomIssuer } from './random-layout.js';

/** The strategy value for `createIds` and config files. The one of `@ids/objectid/machine-pid` knows the classic layout too. */
export const objectid: IdStrategy<
  'objectid',
  ObjectIdOptions,
  ParsedObjectIdOptions,
  SyncIdGenerator<string>
> = {
  name: 'objectid',
  options: optionsSchema,
  optionNames: Object.keys(CHOICES),
  guarantees: objectIdGuarantees,
  create: async (options) => objectIdGenerator(options, randomIssuer),
  inspect: (text) => inspectObjectId(text),
};

/**
 * A generator of ids of 24 lower-case hex digits. All generators of a thread, and `new ObjectId()`, issue from one counter, so
 * that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return objectIdGenerator(parseOptions(objectid, options), randomIssuer);
}
