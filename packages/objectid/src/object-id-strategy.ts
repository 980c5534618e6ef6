import type { IdStrategy, SyncIdGenerator } from '@ids/core';
import { openObjectIds } from './create-object-id-generator.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import { type ObjectIdOptions, type ParsedObjectIdOptions, SPECIFICATION } from './object-id-options.js';

/**
 * The strategy value for `createIds` and config files. The one of `@ids/objectid/machine-pid` knows the
 * classic layout too, and reads the parts of an id for `ids inspect`.
 */
export const objectid: IdStrategy<
  'objectid',
  ObjectIdOptions,
  ParsedObjectIdOptions,
  SyncIdGenerator<string>
> = {
  ...SPECIFICATION,
  guarantees: (options) => objectIdGuarantees(options),
  create: async (options) => openObjectIds(options),
};
