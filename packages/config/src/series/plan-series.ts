import { createNumberFormat, type NumberFormat } from '@ids/encode';
import { type IdsConfig, isObject, seriesIn } from '../ids-config.js';
import type { SeriesConfig, StartAfterConfig } from './series-config.js';

/** A series as `@ids/gapless` takes it: `nextWithin(tx, series, key)`. */
export interface ConfiguredSeries {
  /** Its name in the database. */
  readonly name: string;
  readonly table: string;
  readonly deadlineMs?: number | undefined;
  readonly afterFailover?: SeriesConfig['afterFailover'];
  readonly afterRestore?: SeriesConfig['afterRestore'];
}

/** A series of a validated config, with what the commands of `ids` need to know. */
export interface PlannedSeries {
  /** Its key in the config. */
  readonly entry: string;
  readonly series: ConfiguredSeries;
  /** A URL, a pool, or undefined if the config has none. */
  readonly database: unknown;
  /** Where its numbers exist, with the format parsed. */
  readonly startAfter: StartAfter | undefined;
}

export interface StartAfter extends Omit<StartAfterConfig, 'format'> {
  readonly format?: NumberFormat | undefined;
}

const DEFAULT_TABLE = 'id_number';

/** The series of a config that `planGenerators` has accepted, by their keys. */
export function planSeries(config: unknown): Map<string, PlannedSeries> {
  const { database } = Object(config) as Partial<IdsConfig>;
  const plans = seriesIn(config)
    .filter((entry): entry is [string, SeriesConfig] => isObject(entry[1]))
    .map(([entry, one]) => [entry, planOf(entry, one, database)] as const);
  return new Map(plans);
}

function planOf(entry: string, one: SeriesConfig, shared: unknown): PlannedSeries {
  const { database = shared, startAfter, name = entry, table = DEFAULT_TABLE, ...options } = one;
  return {
    entry,
    series: { name, table, ...options },
    database,
    startAfter: startAfter && {
      ...startAfter,
      format: startAfter.format === undefined ? undefined : formatOf(startAfter.format),
    },
  };
}

/** Only read, so its strings need not sort. */
export function formatOf(format: string): NumberFormat {
  return createNumberFormat({ format, sortable: false });
}
