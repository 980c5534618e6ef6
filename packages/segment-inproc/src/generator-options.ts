import { ruleMessage } from '@ids/core/strategy';
import type { KeyedListener } from '@ids/keyed';
import { groupProblem, type SequenceGroup, wholeNumber } from '@ids/segment';
import * as v from 'valibot';

/** The schemas of the options that decide which generator is opened, wherever its segments come from. */
export const generatorOptions = {
  order: v.optional(
    v.custom<'increasing' | 'real-time'>(
      (value) => value === 'increasing' || value === 'real-time',
      ruleMessage('must be "increasing" or "real-time"'),
    ),
    'increasing',
  ),
  group: v.optional(
    v.custom<SequenceGroup>(
      (value) => groupProblem(value) === undefined,
      ({ input }) => groupProblem(input) ?? '',
    ),
  ),
};

/** What a user writes about keys. */
export interface KeyOptions {
  /**
   * Whether ids of this key may be issued, so that callers cannot invent keys: others are rejected with a
   * `RangeError`. Called for each request. By default, of any key.
   */
  readonly accept?: ((key: string) => boolean) | undefined;
  /**
   * How many keys may get their first ids per second in this process, 1 to 1,000,000. The calls for others
   * wait. No limit by default.
   */
  readonly maxNewKeysPerSecond?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: KeyedListener | undefined;
}

/** The schemas of the options that only sequences by key have. */
export const keyOptions = {
  accept: v.optional(
    v.custom<(key: string) => boolean>(
      (value) => typeof value === 'function',
      ruleMessage('must be a function of a key'),
    ),
  ),
  maxNewKeysPerSecond: v.optional(wholeNumber(1, 1_000_000)),
};
