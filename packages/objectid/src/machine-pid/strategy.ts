import type { Guarantees, IdStrategy, SyncIdGenerator } from '@ids/core';
import { formatValue, parseOptions, type SchemaIssue, type StandardSchemaV1 } from '@ids/core/strategy';
import {
  CHOICES,
  type Chosen,
  choose,
  type ObjectIdOptions,
  objectIdGenerator,
  objectIdGuarantees,
} from '../generator.js';
// Imports the main entry, not its modules: Node.js loads it as a single file, which contains the counter that
// all entries share.
import { createObjectIdGenerator as createRandomObjectIdGenerator } from '../index.js';
import { inspectEitherLayout, type ObjectIdLayout } from '../tools/parse.js';
import { machinePidIssuer } from './layout.js';

/** Options for both layouts. */
export interface ClassicObjectIdOptions extends Omit<ObjectIdOptions, 'layout'> {
  /**
   * What is between the time and the counter. `random`, the default: five random bytes, as in the current
   * MongoDB specification. `machine-pid`: machine and process id, the classic layout, unique only within one
   * process.
   */
  readonly layout?: ObjectIdLayout | undefined;
  /**
   * For `machine-pid` only. `hostname`, the default: the first three bytes of md5(host name). `network`: the
   * first three bytes of a hash of the names and hardware addresses of the network interfaces. Or six hex
   * digits. Without a host name or external interface, the three bytes are random.
   */
  readonly machine?: string | undefined;
}

const CLASSIC_CHOICES = { ...CHOICES, layout: ['random', 'machine-pid'] } as const;

type ParsedClassicOptions = Chosen<typeof CLASSIC_CHOICES> & { readonly machine: string };

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
    const message = `must be "hostname", "network" or 6 hex digits, got ${formatValue(machine)}`;
    return { path: ['machine'], message };
  }
  if (layout === 'machine-pid') return undefined;
  return {
    path: ['machine'],
    message: 'only for layout "machine-pid": layout "random" contains no machine',
  };
}

/**
 * The strategy for `createIds` and config files, for both layouts. It has the same name as the one in
 * `@ids/objectid`.
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
 * Like `createObjectIdGenerator` of `@ids/objectid`, but for both layouts. Generators of a thread with the
 * same layout share one counter. Throws `ERR_IDS_CONFIG` if an option is invalid, or if the classic layout is
 * not available here.
 */
export function createObjectIdGenerator(options: ClassicObjectIdOptions = {}): SyncIdGenerator<string> {
  return open(parseOptions(objectid, options));
}

function open(options: ParsedClassicOptions): SyncIdGenerator<string> {
  const { layout, overflow } = options;
  if (layout === 'random') return createRandomObjectIdGenerator({ overflow });
  const issuer = machinePidIssuer(options.machine);
  return objectIdGenerator(options, classicGuarantees(options), () => issuer);
}

function classicGuarantees(options: ParsedClassicOptions): Guarantees {
  if (options.layout === 'random') return objectIdGuarantees(options);
  return objectIdGuarantees(options, {
    // 16 bits of a process id and a hashed name cannot distinguish all processes of a cluster.
    unique: 'process',
    discloses: ['time', 'volume', 'host', 'process'],
  });
}
