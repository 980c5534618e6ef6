import type { IdStrategy, SyncIdGenerator } from '@ids/core';
import { inspectObjectId } from './inspect-object-id.js';
import { objectIdGenerator } from './object-id-generator.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import { type ObjectIdOptions, type ParsedObjectIdOptions, SPECIFICATION } from './object-id-options.js';
import { randomIssuer } from './random-layout.js';

/** The strategy value for `createIds` and config files. The one of `@ids/objectid/machine-pid` knows the classic layout too. */
export const objectid: IdStrategy<
  'objectid',
  ObjectIdOptions,
  ParsedObjectIdOptions,
  SyncIdGenerator<string>
> = {
  ...SPECIFICATION,
  guarantees: objectIdGuarantees,
  create: async (options) => objectIdGenerator(options, randomIssuer),
  inspect: (text) => inspectObjectId(text),
};
