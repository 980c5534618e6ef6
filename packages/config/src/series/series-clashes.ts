import type { PlannedGenerator } from '@ids/core';
import { placeOf } from '../shared-tables.js';
import type { PlannedSeries } from './plan-series.js';

interface Planned extends Pick<PlannedGenerator, 'strategy' | 'store'> {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly column?: string | undefined;
}

/**
 * One line for each series that a generator with gaps serves as well: under the same name, from the same
 * table or into the same column. Compares what the config says. A name in another database, or one that only
 * the database knows, is another counter, whose numbers the unique constraint of the column refuses.
 */
export function seriesClashes(generators: readonly Planned[], series: readonly PlannedSeries[]): string[] {
  const twice = series.flatMap((own, index) => {
    const other = series
      .slice(0, index)
      .find((earlier) => keyOf(earlier) === keyOf(own) && samePlace(earlier, own));
    const { name, table } = own.series;
    return other === undefined
      ? []
      : [
          `series.${own.entry}: "${name}" of table "${table}" is also series.${other.entry}: keep one of them, or set another "name"`,
        ];
  });
  return [...twice, ...series.flatMap((own) => generators.flatMap((other) => clash(own, other)))];
}

function keyOf({ series: { name, table } }: PlannedSeries): string {
  return JSON.stringify([name, table]);
}

function samePlace(one: PlannedSeries, other: PlannedSeries): boolean {
  return placeOf(one.database) === placeOf(other.database);
}

function clash(own: PlannedSeries, generator: Planned): string[] {
  const { entry, series, database, startAfter } = own;
  const { name, store, strategy, options, column } = generator;
  if (database === undefined || placeOf(options.database) !== placeOf(database)) return [];
  const other = `generators.${name}`;
  if (
    store !== undefined &&
    ['', '_series', '_reference'].some((end) => `${series.table}${end}` === store.table)
  ) {
    return [
      `series.${entry}: table "${store.table}" is that of ${other}, whose ${strategy} keeps its ${store.rows} there: set another "table" for one of them`,
    ];
  }
  if (store?.position !== undefined && store.name === series.name) {
    return [
      `series.${entry}: ${other} issues sequence "${store.name}" with gaps (${strategy}) in the same database: remove one of them, or set another "name"`,
    ];
  }
  if (startAfter !== undefined && column === `${startAfter.table}.${startAfter.column}`) {
    return [
      `series.${entry}: column ${column} also has the IDs of ${other} (${strategy}), which leave gaps and repeat numbers of the series: remove one of them`,
    ];
  }
  return [];
}
