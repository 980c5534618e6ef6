import type { Guarantees, IdStrategy, SyncIdGenerator } from '@ids/core';
import { parseOptions, type SchemaIssue, type StandardSchemaV1, shownValue } from '@ids/core/strategy';
import {
  CHOICES,
  choose,
  type ObjectIdOptions,
  objectIdGenerator,
  objectIdGuarantees,
  type ParsedObjectIdOptions,
} from '../generator.js';
// The main entry and not its modules: Node.js loads it as one file, which holds the counter
// that all entries issue from.
import { createObjectIdGenerator as createRandomObjectIdGenerator } from '../index.js';
import { inspectEitherLayout, type ObjectIdLayout } from '../tools/parse.js';
import { machinePidIssuer } from './layout.js';

/** What a user writes where both layouts are known. */
export interface ClassicObjectIdOptions extends Omit<ObjectIdOptions, 'layout'> {
  /**
   * What is between time and counter. `random`, the default: five random bytes, as today's MongoDB
   * specification has it. `machine-pid`: machine and process id, the classic one; unique in one process only.
   */
  readonly layout?: ObjectIdLayout | undefined;
  /**
   * For `machine-pid` only: `hostname`, the default, is the first three bytes of md5(host name), `network`
   * those of a hash of the network interfaces' names and hardware addresses; or six hex digits. A host
   * without either gets random ones.
   */
  readonly machine?: string | undefined;
}

/** The options as validated, with their defaults. */
interface ParsedClassicOptions extends Omit<ParsedObjectIdOptions, 'layout'> {
  readonly layout: ObjectIdLayout;
  readonly machine: string;
}

const CLASSIC_CHOICES = { ...CHOICES, layout: ['random', 'machine-pid'] } as const;

const optionNames = [...Object.keys(CLASSIC_CHOICES), 'machine'];

const optionsSchema: StandardSchemaV1<ClassicObjectIdOptions, ParsedClassicOptions> = {
  '~standard': {
    version: 1,
    vendor: '@ids/objectid',
    validate: (input) => {
      const { value, issues } = choose(CLASSIC_CHOICES, input);
      const machine = (input as ClassicObjectIdOptions | null)?.machine;
      const wrong = wrongMachine(machine, value.layout);
      const all = wrong === undefined ? issues : [...issues, wrong];
      if (all.length > 0) return { issues: all };
      return { value: { ...value, machine: machine?.toLowerCase() ?? 'hostname' } };
    },
  },
};

function wrongMachine(machine: unknown, layout: ObjectIdLayout): SchemaIssue | undefined {
  if (machine === undefined) return undefined;
  if (typeof machine !== 'string' || !/^(?:hostname|network|[0-9a-fA-F]{6})$/.test(machine)) {
    const message = `must be "hostname", "network" or 6 hex digits, got ${shownValue(machine)}`;
    return { path: ['machine'], message };
  }
  if (layout === 'machine-pid') return undefined;
  return {
    path: ['machine'],
    message: 'only for layout "machine-pid": the layout "random" holds no machine',
  };
}

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
  inspect: inspectEitherLayout,
};

/**
 * As `createObjectIdGenerator` of `@ids/objectid`, for both layouts. Generators of a thread with the same
 * layout issue from one counter. Throws `ERR_IDS_CONFIG` for options that cannot work, and where the
 * classic layout is not available.
 */
export function createObjectIdGenerator(options: ClassicObjectIdOptions = {}): SyncIdGenerator<string> {
  return open(parseOptions(objectid, options));
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
    // Sixteen bits of process id and a hash of a name cannot distinguish all processes of a cluster.
    unique: 'process',
    discloses: ['time', 'volume', 'host', 'process'],
  });
}
