import type { StandardSchemaV1 } from '@ids/core';
import { choose } from './choices.js';

/** What a user writes. */
export interface ObjectIdOptions {
  /**
   * What stands between time and counter: five random bytes. For the classic layout import
   * `@ids/objectid/machine-pid`.
   */
  readonly layout?: 'random' | undefined;
  /**
   * Past 2^24 ids a second `borrow`, the default, lets the time in ids run ahead of the clock by up to 10 s,
   * `throw` by up to 1 s; then `ERR_IDS_EXHAUSTED`.
   */
  readonly overflow?: 'borrow' | 'throw' | undefined;
  /**
   * `exact`, the default, asks for the time of each id. `turn` reads it for the first id after each `await`
   * or return to the event loop, and after 256 ids: an id may be dated at the start of the synchronous run of
   * code that it is asked for in.
   */
  readonly clock?: 'exact' | 'turn' | undefined;
}

export const CHOICES = {
  layout: ['random'],
  overflow: ['borrow', 'throw'],
  clock: ['exact', 'turn'],
} as const;

/** The options as validated, with their defaults. */
export interface ParsedObjectIdOptions {
  readonly layout: 'random';
  readonly overflow: 'borrow' | 'throw';
  readonly clock: 'exact' | 'turn';
}

const schema: StandardSchemaV1<ObjectIdOptions, ParsedObjectIdOptions> = {
  '~standard': {
    version: 1,
    vendor: '@ids/objectid',
    validate: (input) => {
      const { value, issues } = choose(CHOICES, input, {
        layout: '; "machine-pid" is known to @ids/objectid/machine-pid',
      });
      return issues.length === 0 ? { value } : { issues };
    },
  },
};

/** What is checked alike for the strategy and for its factory. */
export const SPECIFICATION = {
  name: 'objectid',
  options: schema,
  optionNames: Object.keys(CHOICES),
} as const;
