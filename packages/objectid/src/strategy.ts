import type { IdStrategy, SyncIdGenerator } from '@ids/core';
import { parseOptions, type StandardSchemaV1 } from '@ids/core/strategy';
import {
  CHOICES,
  choose,
  type ObjectIdOptions,
  objectIdGenerator,
  objectIdGuarantees,
  type ParsedObjectIdOptions,
} from './generator.js';
import { randomIssuer } from './issuer.js';

const schema: StandardSchemaV1<ObjectIdOptions, ParsedObjectIdOptions> = {
  '~standard': {
    version: 1,
    vendor: '@ids/objectid',
    validate: (input) => {
      const { value, issues } = choose(CHOICES, input, {
        layout: '; "machine-pid" needs @ids/objectid/machine-pid',
      });
      return issues.length === 0 ? { value } : { issues };
    },
  },
};

/**
 * The strategy for `createIds` and config files. The one in `@ids/objectid/machine-pid` also has the classic
 * layout, and reads the parts of an id for `ids inspect`.
 */
export const objectid: IdStrategy<
  'objectid',
  ObjectIdOptions,
  ParsedObjectIdOptions,
  SyncIdGenerator<string>
> = {
  name: 'objectid',
  options: schema,
  optionNames: Object.keys(CHOICES),
  guarantees: objectIdGuarantees,
  create: async (options) => openObjectIds(options),
};

/**
 * Creates a generator of ids with 24 lower-case hex digits. All generators of a thread and `new ObjectId()`
 * share one counter, so that their ids increase together. Throws `ERR_IDS_CONFIG` if an option is invalid.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return openObjectIds(parseOptions(objectid, options));
}

function openObjectIds(options: ParsedObjectIdOptions): SyncIdGenerator<string> {
  return objectIdGenerator(options, objectIdGuarantees(options), randomIssuer);
}
