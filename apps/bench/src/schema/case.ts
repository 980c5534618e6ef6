import * as v from 'valibot';
import {
  atRateResultSchema,
  loopResultSchema,
  openLoopResultSchema,
  slowdownResultSchema,
  syncResultSchema,
} from './figures.js';
import { disclosureSchema, idTypeSchema, plainGuaranteesSchema } from './guarantees.js';
import { about, list, mark, mustBe, number, object, oneOf, optional, text } from './words.js';

const idPartSchema = object("A part of an id's string form.", {
  text: text(),
  holds: text('What the part contains, in words.'),
  tells: optional(disclosureSchema, 'What an outsider learns from it; absent for nothing.'),
});
export type IdPart = v.InferOutput<typeof idPartSchema>;

export const anatomySchema = object('The parts of an id, and how long its format lasts.', {
  parts: list(idPartSchema, 'From left to right; together they are one whole id of this run.'),
  bytes: optional(
    number('Bytes of the smallest column that holds every id; absent for strings of variable length.'),
  ),
  randomBits: optional(
    number(
      'Random bits that a process draws once to tell its ids from those of others; absent if it draws none.',
    ),
  ),
  lasts: about(
    v.union(
      [
        object('A date, ISO 8601.', { until: text() }),
        object('So many ids of all processes, or of each one.', {
          ids: number(),
          of: oneOf(['sequence', 'process']),
        }),
      ],
      mustBe('an object with "until", or with "ids" and "of"'),
    ),
    'When ids run out: on a date, or after so many ids of all processes or of each one.',
  ),
});
export type Anatomy = v.InferOutput<typeof anatomySchema>;

const issueSchema = object(
  'Which process issued an id, and its position among the ids of that process; both from 0.',
  { process: number(), index: number() },
);
const duplicateSchema = object('An id that was issued twice.', {
  id: text('The id as a string.'),
  first: issueSchema,
  again: issueSchema,
});
export type Duplicate = v.InferOutput<typeof duplicateSchema>;

export const uniquenessResultSchema = object('An exact search for duplicates among many ids.', {
  ids: number(),
  processes: number(),
  duplicates: number(),
  examples: list(duplicateSchema),
  retainedBytesPerId: optional(
    number(
      'Memory that the worst process still holds, in bytes per id; 0 if that is too little to be a leak.',
    ),
  ),
  seconds: number(),
});
export type UniquenessResult = v.InferOutput<typeof uniquenessResultSchema>;

const orderSampleSchema = object('A few calls of one process, evenly spread over the run, for a chart.', {
  at: list(number(), 'When each call completed, in milliseconds since the first call of all processes.'),
  rank: list(number(), 'The rank of its id among the ids of all processes, from 0 for the smallest.'),
});
export type OrderSample = v.InferOutput<typeof orderSampleSchema>;

export const orderResultSchema = object('The order of the ids of several processes.', {
  calls: number(),
  processes: number(),
  observed: oneOf(
    ['real-time', 'k-sorted', 'per process', 'none'],
    'The highest level that held in this run. A run cannot prove a level, only refute one.',
  ),
  skewMs: number('k-sorted: the widest inversion, in milliseconds; 0 in real-time order.'),
  positions: number('k-sorted: in positions, see `OrderLevels`.'),
  counterExample: optional(text('What refutes the next higher level, in words.')),
  brokenClaims: list(text(), 'The claims that did not hold, in words; empty if all held.'),
  untested: optional(
    list(text(), 'The claims that this run was too short to refute, in words; absent if there are none.'),
  ),
  samples: optional(list(orderSampleSchema, 'Calls to draw, by process.')),
});
export type OrderResult = v.InferOutput<typeof orderResultSchema>;

export const caseStatusSchema = oneOf(
  ['ok', 'skipped', 'invalid', 'failed', 'unfinished'],
  '`skipped`: a backend is not available. `invalid`: an output broke a promise, so speed does not count. ' +
    '`failed`: a worker crashed or hung. `unfinished`: the run was stopped before this case had all of its ' +
    'figures.',
);
export type CaseStatus = v.InferOutput<typeof caseStatusSchema>;

export const caseResultSchema = object('What was measured of a strategy, or of a control.', {
  name: text(),
  kind: oneOf(['strategy', 'control']),
  status: caseStatusSchema,
  reason: optional(text('Why it is not `ok`.')),
  comparedWith: list(text()),
  idType: idTypeSchema,
  maxLength: number(),
  maxIdsPerSecond: optional(number()),
  idTypes: optional(
    list(
      idTypeSchema,
      'The types that it offers with the same figures, a strategy by its option `as`; absent if there is only ' +
        '`idType`.',
    ),
  ),
  own: mark('A strategy of the user: `--strategy`.'),
  guarantees: optional(
    plainGuaranteesSchema,
    'Of a strategy, or of what people already use; absent for other controls.',
  ),
  alternative: optional(
    object('A control that people already use: what they call it, and what its uniqueness rests on.', {
      name: text('What people call it: `UUID v4`.'),
      uniqueBy: text('What its uniqueness rests on, in words.'),
    }),
  ),
  sync: optional(syncResultSchema),
  loops: optional(list(loopResultSchema)),
  openLoops: optional(
    list(openLoopResultSchema, 'At 50, 80 and 95 % of what closed loops achieved: `LOAD_SHARES`.'),
  ),
  atRate: optional(
    atRateResultSchema,
    'At the rate that the service needs: strategies and what people already use.',
  ),
  slowdown: optional(slowdownResultSchema, 'Whether it gets slower: of a strategy.'),
  uniqueness: optional(uniquenessResultSchema),
  order: optional(orderResultSchema),
  anatomy: optional(anatomySchema, 'The parts of one id of this run.'),
});
export type CaseResult = v.InferOutput<typeof caseResultSchema>;
