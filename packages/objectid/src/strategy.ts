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

/** What is checked alike for the strategy and for its factory. */
const SPECIFICATION = {
  name: 'objectid',
  options: schema,
  optionNames: Object.keys(CHOICES),
} as const;

/**
 * A generator of ids of 24 lower-case hex digits. All generators of a thread, and `new ObjectId()`, issue
 * from one counter, so that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
 */
export function createObjectIdGenerator(options: ObjectIdOptions = {}): SyncIdGenerator<string> {
  return openObjectIds(parseOptions(SPECIFICATION, options));
}

function openObjectIds(options: ParsedObjectIdOptions): SyncIdGenerator<string> {
  return objectIdGenerator(options, objectIdGuarantees(options), randomIssuer);
}

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
  guarantees: objectIdGuarantees,
  create: async (options) => openObjectIds(options),
};
