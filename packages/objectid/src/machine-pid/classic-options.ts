import { type SchemaIssue, type StandardSchemaV1, shownValue } from '@ids/core';
import { choose } from '../choices.js';
import { CHOICES, type ObjectIdOptions, type ParsedObjectIdOptions } from '../object-id-options.js';
import type { ObjectIdLayout } from '../tools/decode-object-id.js';

/** What a user writes where both layouts are known. */
export interface ClassicObjectIdOptions extends Omit<ObjectIdOptions, 'layout'> {
  /**
   * What stands between time and counter. `random`, the default: five random bytes, as today's MongoDB
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
export interface ParsedClassicOptions extends Omit<ParsedObjectIdOptions, 'layout'> {
  readonly layout: ObjectIdLayout;
  readonly machine: string;
}

const CLASSIC_CHOICES = { ...CHOICES, layout: ['random', 'machine-pid'] } as const;

export const optionNames = [...Object.keys(CLASSIC_CHOICES), 'machine'];

export const optionsSchema: StandardSchemaV1<ClassicObjectIdOptions, ParsedClassicOptions> = {
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
    const message = `expected "hostname" | "network" | 6 hex digits, got ${shownValue(machine)}`;
    return { path: ['machine'], message };
  }
  if (layout === 'machine-pid') return undefined;
  return {
    path: ['machine'],
    message: 'only for layout "machine-pid": the layout "random" holds no machine',
  };
}
