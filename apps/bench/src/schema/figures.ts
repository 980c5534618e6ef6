import * as v from 'valibot';
import { about, flag, list, number, numberOrNull, object, oneOf, optional, text } from './words.js';

export const estimateSchema = object('A median with its 95 % interval.', {
  median: number(),
  low: number(),
  high: number(),
});
export type Estimate = v.InferOutput<typeof estimateSchema>;

export const ratioSchema = object(
  'How a case compares with its control, in throughput: 2 is twice as many ids per second. `tie`: the whole ' +
    'interval lies within ±5 %; `unclear`: it does not, but reaches into that band, or there are fewer than ' +
    '`MIN_BLOCKS` blocks.',
  {
    ...estimateSchema.entries,
    control: text(),
    verdict: oneOf(['faster', 'slower', 'tie', 'unclear']),
  },
);
export type Ratio = v.InferOutput<typeof ratioSchema>;

export const syncTrialSchema = object('Nanoseconds per id, one entry per timed call.', {
  raw: list(number()),
  asMapKey: list(number()),
  sustained: number(
    'Ids per second while they were kept, with the time that the calls waited: see `measureSustained`.',
  ),
  warmUpBlocks: number(),
  emptyCalls: number('Calls that found the buffer empty and were not timed.'),
});
export type SyncTrial = v.InferOutput<typeof syncTrialSchema>;

export const syncResultSchema = object(
  'Bursts of `nextSync`. Rates are ids per second; times are nanoseconds per id.',
  {
    idsPerSecond: estimateSchema,
    sustained: about(
      estimateSchema,
      'Including the waits for ids that had to be fetched, which the bursts leave out.',
    ),
    ns: estimateSchema,
    nsAsMapKey: estimateSchema,
    p50: number('Over all timed calls, each of 1,000 ids.'),
    p99: number(),
    ratios: list(ratioSchema),
    ratiosAsMapKey: list(ratioSchema),
    trials: list(v.nullable(syncTrialSchema), 'By block; `null` if the block was not finished.'),
  },
);
export type SyncResult = v.InferOutput<typeof syncResultSchema>;

const loopSettingSchema = object('How many callers there are, and how many ids each requests per call.', {
  concurrency: number(),
  batch: number('1: with `next`; more: with `nextBatch`.'),
});
export type LoopSetting = v.InferOutput<typeof loopSettingSchema>;

export const loopMeasureSchema = object('One closed loop in one process.', {
  ...loopSettingSchema.entries,
  idsPerSecond: number(),
  p50: number('Nanoseconds per call.'),
  p99: number(),
  max: number(),
  calls: number(),
});
export type LoopMeasure = v.InferOutput<typeof loopMeasureSchema>;

export const loopResultSchema = object(
  'One closed loop. Latencies are nanoseconds per call, the median over the blocks.',
  {
    ...loopSettingSchema.entries,
    idsPerSecond: estimateSchema,
    p50: number(),
    p99: number(),
    ratios: list(ratioSchema),
    trials: list(v.nullable(loopMeasureSchema), 'By block; `null` if the block was not finished.'),
  },
);
export type LoopResult = v.InferOutput<typeof loopResultSchema>;

const P99_OF_WORST_BLOCK =
  'The p99 of the block, and of the process, in which it was worst; `null` if all had too few calls.';

export const openLoopResultSchema = object('Calls at fixed times. Over all calls of all blocks.', {
  share: number('Of the capacity.'),
  rate: number('Calls per second, the median over the blocks.'),
  latency: list(
    numberOrNull(),
    'Nanoseconds from the intended start, at the percentiles 50, 75, 90, 99 and 99.9; `null` if there were ' +
      'too few calls.',
  ),
  p99OfWorstBlock: numberOrNull(P99_OF_WORST_BLOCK),
  max: number(),
  calls: number(),
  overloaded: flag('In at least one block the calls piled up.'),
});
export type OpenLoopResult = v.InferOutput<typeof openLoopResultSchema>;

export const loadResultSchema = object(
  'Calls at fixed times, at a rate, in several processes at once, without a pause.',
  {
    achieved: number('Ids per second that the slowest process got.'),
    latency: list(
      numberOrNull(),
      'Nanoseconds from the intended start, at the percentiles 50, 75, 90, 99 and 99.9 of all calls of a ' +
        'process, each of the process that was worst there; `null` if there were too few calls.',
    ),
    p99OfWorstBlock: numberOrNull(P99_OF_WORST_BLOCK),
    max: number(),
    calls: number('In all processes together.'),
    errors: number('Calls that failed.'),
    overloaded: flag('In at least one process, calls piled up or came later and later.'),
  },
);
export type LoadResult = v.InferOutput<typeof loadResultSchema>;

export const atRateResultSchema = object('At the rate that a service needs.', {
  ...loadResultSchema.entries,
  rate: number('Ids per second in each process, as needed.'),
  processes: number(),
  floor: about(
    loadResultSchema,
    'The same with ids that cost nothing: if that is too slow, the machine is what is too slow.',
  ),
});
export type AtRateResult = v.InferOutput<typeof atRateResultSchema>;

export const paceSchema = object(
  'Nanoseconds per id, in the best of many short rounds; absent for a way to ask that a strategy does not have.',
  {
    sync: optional(number('With `nextSync`, without the waits for ids that are fetched.')),
    waiting: optional(number('With `next`, 16 callers at once.')),
  },
);
export type Pace = v.InferOutput<typeof paceSchema>;

export const slowdownResultSchema = object('The pace of one process, when it was new and later.', {
  first: paceSchema,
  later: paceSchema,
  afterMs: number('Milliseconds from the first ids to the later ones.'),
  taken: number('Ids that were taken in between, to use up what was made in advance.'),
});
export type SlowdownResult = v.InferOutput<typeof slowdownResultSchema>;
