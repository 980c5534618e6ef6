import { type Guarantees, STRENGTHS } from '@ids/core';
import type * as v from 'valibot';
import { type EntriesOf, flag, list, number, object, oneOf, optional, text } from './words.js';

export const ID_TYPES = ['string', 'number', 'bigint'] as const;
export const idTypeSchema = oneOf(ID_TYPES);
export const backendSchema = oneOf(['redis', 'sql']);
export const disclosureSchema = oneOf(['time', 'volume', 'host', 'address', 'process']);
export const uniqueSchema = oneOf(
  STRENGTHS.unique,
  'The scope in which no id is issued twice: all processes that share the backends, or the ids of one process.',
);
export const orderInProcessSchema = oneOf(
  STRENGTHS.orderInProcess,
  'Ids of one generator, in the order in which they were given.',
);
export const orderInClusterSchema = oneOf(
  STRENGTHS.orderInCluster,
  'Ids of all processes together. `real-time`: if A was returned before B was asked for, A < B. `k-sorted`: ' +
    'A < B holds once they lie more than `skewMs` apart.',
);

const textSchema = object('What `String(id)` of every id is like.', {
  pattern: text('A regular expression that matches it, whole.'),
  prefix: optional(text('What every string begins with; absent where nothing is common to all.')),
  alphabet: optional(text('Every character that may follow the prefix; absent where any may.')),
  minLength: optional(
    number('The shortest, prefix included, in characters; absent where nothing bounds it.'),
  ),
  maxLength: number('The longest, prefix included, in characters.'),
  sortable: flag('Whether comparing strings by code unit gives the order of `order`.'),
  caseSensitive: optional(
    flag(
      'Whether two ids may differ in the case of letters only, so that columns, file names and caches must ' +
        'distinguish case. Absent means false: no letter comes in both cases at one place.',
    ),
  ),
} satisfies EntriesOf<Record<'pattern', string> & Omit<Guarantees['text'], 'pattern'>>);

export const plainGuaranteesSchema = object('`Guarantees` as JSON.', {
  unique: uniqueSchema,
  order: object('Of the ids of one generator, and of those of all processes together.', {
    process: orderInProcessSchema,
    cluster: orderInClusterSchema,
    skewMs: optional(number('For `k-sorted`: milliseconds, for processes whose clocks are in step.')),
  } satisfies EntriesOf<Guarantees['order']>),
  gaps: oneOf(STRENGTHS.gaps, 'When numbers may be missing from the sequence.'),
  maxIdsLost: optional(
    number(
      'The most ids that are set aside and not given at any moment, and so lost with the process or store ' +
        'that holds them; 0 where none are set aside, absent where nothing bounds it.',
    ),
  ),
  sync: flag('Whether `nextSync` and `nextBatchSync` exist.'),
  idType: idTypeSchema,
  text: textSchema,
  backends: list(backendSchema),
  discloses: list(disclosureSchema, 'What a stranger who sees ids can learn from them.'),
  maxIdsPerSecond: optional(
    number('A ceiling of the format, per process; absent where only the machine limits.'),
  ),
} satisfies EntriesOf<Omit<Guarantees, 'text'> & Record<'text', v.InferOutput<typeof textSchema>>>);
export type PlainGuarantees = v.InferOutput<typeof plainGuaranteesSchema>;
