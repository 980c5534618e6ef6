import { shownValue } from '@ids/core';
import * as v from 'valibot';

/** What a user writes. */
export interface ObjectIdOptions {
  /**
   * What stands between time and counter. `random`, the default: five random bytes, as today's MongoDB specification has it.
   * `machine-pid`: machine and process id, the classic one; unique in one process only.
   */
  readonly layout?: 'random' | 'machine-pid' | undefined;
  /**
   * Past 2^24 ids a second `borrow`, the default, lets the time in ids run ahead of the clock by up to 10 s, `throw` by up to
   * 1 s; then `ERR_IDS_EXHAUSTED`.
   */
  readonly overflow?: 'borrow' | 'throw' | undefined;
  /** For `machine-pid` only: six hex digits. Default `hostname`: the first three bytes of md5(host name). */
  readonly machine?: string | undefined;
}

function refusedMachine({ input }: { readonly input: unknown }): string {
  return `expected "hostname" or 6 hex digits, got ${shownValue(input)}`;
}

const entries = {
  layout: v.optional(v.picklist(['random', 'machine-pid']), 'random'),
  overflow: v.optional(v.picklist(['borrow', 'throw']), 'borrow'),
  machine: v.optional(
    v.pipe(
      v.string(refusedMachine),
      v.regex(/^(?:hostname|[0-9a-fA-F]{6})$/, refusedMachine),
      v.transform((machine) => machine.toLowerCase()),
    ),
  ),
};

export const optionNames = Object.keys(entries);

export const optionsSchema = v.pipe(
  v.object(entries),
  v.forward(
    v.check(
      ({ layout, machine }) => layout === 'machine-pid' || machine === undefined,
      'only for layout "machine-pid": the layout "random" holds no machine',
    ),
    ['machine'],
  ),
);

/** The options as validated, with their defaults. */
export type ParsedObjectIdOptions = v.InferOutput<typeof optionsSchema>;
