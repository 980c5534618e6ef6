import { type Guarantees, type IdPart, type IdStrategy, parseOptions, type SyncIdGenerator } from '@ids/core';
// The main entry and not its modules: Node.js loads it as one file, which holds the counter
// that all entries issue from.
import { createObjectIdGenerator as createRandomObjectIdGenerator } from '../index.js';
import { objectIdGenerator } from '../object-id-generator.js';
import { objectIdGuarantees } from '../object-id-guarantees.js';
import { inspectObjectId } from '../tools/inspect-object-id.js';
import {
  type ClassicObjectIdOptions,
  optionNames,
  optionsSchema,
  type ParsedClassicOptions,
} from './classic-options.js';
import { machinePidIssuer } from './machine-pid-layout.js';

/**
 * The strategy value for `createIds` and config files, under the name of the one in `@ids/objectid`:
 * this one knows both layouts.
 */
export const objectid: IdStrategy<
  'objectid',
  ClassicObjectIdOptions,
  ParsedClassicOptions,
  SyncIdGenerator<string>
> = {
  name: 'objectid',
  options: optionsSchema,
  optionNames,
  guarantees: classicGuarantees,
  create: async (options) => open(options),
  inspect: inspectBoth,
};

/**
 * As `createObjectIdGenerator` of `@ids/objectid`, for both layouts. Generators of a thread with the same
 * layout issue from one counter. Throws `ERR_IDS_CONFIG` for options that cannot work, and where the
 * classic layout cannot be had.
 */
export function createObjectIdGenerator(options: ClassicObjectIdOptions = {}): SyncIdGenerator<string> {
  return open(parseOptions(objectid, options));
}

/** An id does not tell its layout, so the five bytes in the middle are read both ways. */
function inspectBoth(text: string): readonly IdPart[] | undefined {
  const classic = inspectObjectId(text, 'machine-pid');
  return inspectObjectId(text)?.flatMap((part) => {
    if (part.name !== 'random') return [part];
    const otherwise = classic?.filter(({ name }) => name === 'machine' || name === 'process') ?? [];
    return [
      part,
      ...otherwise.map((other) => ({ ...other, note: `${other.note}, if the layout is machine-pid` })),
    ];
  });
}

function open(options: ParsedClassicOptions): SyncIdGenerator<string> {
  const { layout, overflow, clock } = options;
  if (layout === 'random') return createRandomObjectIdGenerator({ overflow, clock });
  const issuer = machinePidIssuer(options.machine);
  return objectIdGenerator(options, classicGuarantees(options), () => issuer);
}

function classicGuarantees(options: ParsedClassicOptions): Guarantees {
  if (options.layout === 'random') return objectIdGuarantees(options);
  return objectIdGuarantees(options, {
    // Sixteen bits of process id and a hash of a name cannot tell all processes of a cluster apart.
    unique: 'process',
    discloses: ['time', 'volume', 'host', 'process'],
  });
}
