import type { Needs } from '@ids/config';
import * as v from 'valibot';
import { estimateSchema } from './figures.js';
import {
  disclosureSchema,
  ID_TYPES,
  orderInClusterSchema,
  orderInProcessSchema,
  uniqueSchema,
} from './guarantees.js';
import { type EntriesOf, flag, list, mark, noArray, number, object, oneOf, optional, text } from './words.js';

// `v.optional`: a program that states needs may also state `undefined`. A file has no such value.
const needs = {
  unique: v.optional(uniqueSchema),
  order: v.optional(
    noArray(
      object('Of the ids of one generator, and of those of all processes together.', {
        process: v.optional(orderInProcessSchema),
        cluster: v.optional(orderInClusterSchema),
      } satisfies EntriesOf<NonNullable<Needs['order']>>),
    ),
  ),
  type: v.optional(
    oneOf(
      [...ID_TYPES, 'uuid'],
      'The id type that columns and code expect; `uuid`: a string that a column of type `uuid` can hold.',
    ),
  ),
  maxLength: v.optional(
    number('The most characters or digits of an id that the column can hold: a whole number from 1.'),
  ),
  sync: v.optional(flag('`true` where ids are needed synchronously.')),
  offline: v.optional(flag('`true` where ids must come although Redis and the database cannot be reached.')),
  maxIdsLost: v.optional(
    number('The most ids that may be lost when a process or store is: a whole number from 0.'),
  ),
  discloses: v.optional(list(disclosureSchema, 'All that a stranger may learn from ids; `[]` for nothing.')),
  reveals: v.optional(
    list(
      disclosureSchema,
      "What every id must reveal, such as `['process']` where logs must name the process that issued it.",
    ),
  ),
} satisfies EntriesOf<Needs>;

export const serviceNeedsSchema = noArray(
  object('What a service needs of its ids; a need that is absent was not stated.', {
    ...needs,
    name: optional(text('Of the generator in a config file.')),
    rate: optional(number('Ids per second in one process.')),
    p99Ms: optional(number('The longest time that 99 of 100 calls may take at that rate, in milliseconds.')),
    public: optional(flag('Outsiders see the ids and must learn nothing from them.')),
  }),
);
export type ServiceNeeds = v.InferOutput<typeof serviceNeedsSchema>;

export const fitSchema = object('Whether a strategy meets the needs, by its guarantees and by this run.', {
  strategy: text(),
  unmet: list(text(), 'A phrase for each need that is not met; empty if the strategy fits.'),
  unproven: optional(
    list(
      text(),
      'What it claims to meet the needs, and this run could not test; absent if there is nothing.',
    ),
  ),
  sound: flag('Nothing went wrong with it in this run; otherwise it ranks last, whatever it promises.'),
  obfuscate: mark('It fits once its ids are obfuscated; absent if that is not necessary.'),
});
export type Fit = v.InferOutput<typeof fitSchema>;

export const adviceSchema = object('What to choose for one set of needs, and why.', {
  needs: serviceNeedsSchema,
  fits: list(fitSchema, 'Best first.'),
  choice: optional(text('The strategy to use; absent if none fits, or if `withheld`.')),
  withheld: optional(
    text('Why this run recommends nothing, although nothing speaks against the first of `fits`.'),
  ),
  sentences: list(text(), 'Whole sentences about guarantees and measurements.'),
  config: optional(
    text('`ids.config.json` for the choice; with `--config`, `RunResult.config` is the one for all of them.'),
  ),
});
export type Advice = v.InferOutput<typeof adviceSchema>;

export const mergedConfigSchema = object('`ids.config.json` for all generators of a service.', {
  text: text(),
  leftOut: list(
    text(),
    'The settings that are not in it, because they are secret or not JSON: `generators.order.encode.key`.',
  ),
  dropped: optional(
    list(
      text(),
      'The settings of `encode` that the ids of the chosen strategies cannot have, or with which they would not meet the needs; absent if there are none.',
    ),
  ),
});
export type MergedConfig = v.InferOutput<typeof mergedConfigSchema>;

const changeSchema = object('One ratio to a control, in an earlier run and in this one.', {
  what: text('What was measured, and how: `objectid, in bursts`.'),
  control: text(),
  before: estimateSchema,
  after: estimateSchema,
  verdict: oneOf(
    ['faster', 'slower', 'tie'],
    '`faster` and `slower` if the intervals do not touch, otherwise `tie`.',
  ),
});
export type Change = v.InferOutput<typeof changeSchema>;

export const comparisonSchema = object('Differences between this run and an earlier one.', {
  with: text('When the earlier run started, ISO 8601.'),
  notComparable: optional(
    text('Why the two cannot be compared, so that there are no changes; absent if they can.'),
  ),
  changes: list(changeSchema),
});
export type Comparison = v.InferOutput<typeof comparisonSchema>;
