export { type Finding, findGaps, type GapOptions, type GapReport } from './find-gaps.js';
export { generatorWithin } from './generator-within.js';
export { nextEachWithin, type WantedNumber } from './next-each-within.js';
export { nextBatchWithin, nextWithin, nextWithinSync } from './next-within.js';
export type { NumberOptions, Series, TakeOptions } from './number-options.js';
export { createSeriesWithin, raiseWithin, type Seeded, seedWithin } from './seed-within.js';
export {
  acceptSeries,
  createSeries,
  ensureNumberSchema,
  missingNumberSchema,
  numberGrants,
  numberSchema,
  type SeriesSqlOptions,
  seriesSql,
} from './series.js';
export {
  type DescribeSeriesOptions,
  describeSeries,
  findKeys,
  findSeriesChange,
  findUnseeded,
  lackingNumberRights,
  type SeriesState,
} from './series-state.js';
export type { Documents, NumberPattern } from './table/documents.js';
export { DEFAULT_NUMBER_TABLE } from './table/names.js';
export type { AfterLoss } from './table/request.js';
export type { TransactionPort } from './transaction/port.js';
