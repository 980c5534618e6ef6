import { isIdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { isObject, seriesIn } from '../ids-config.js';
import { schemaProblems } from '../problems.js';
import { formatOf } from './plan-series.js';
import { SERIES_KEYS, seriesSchema } from './series-config.js';

/** Everything wrong with the series of a config, one line each, starting with the path. */
export function seriesProblems(config: unknown): string[] {
  const { series } = Object(config) as { readonly series?: unknown };
  if (series !== undefined && !isObject(series))
    return [`series: must be an object of series by name, got ${formatValue(series)}`];
  return seriesIn(config).flatMap(([entry, one]) => {
    const at = `series.${entry}`;
    if (!isObject(one)) return [`${at}: must be an object, got ${formatValue(one)}`];
    // Without a name of its own, the key is the name in the database.
    const problems = schemaProblems(at, seriesSchema, SERIES_KEYS, { name: entry, ...one });
    // A number can break two rules, which are one line.
    return problems.length > 0 ? [...new Set(problems)] : formatProblems(at, one.startAfter);
  });
}

function formatProblems(at: string, startAfter: unknown): string[] {
  const { format, perYear = false } = Object(startAfter) as { format?: string; perYear?: boolean };
  try {
    const year = format === undefined ? 0 : formatOf(format).groups.year;
    return perYear && year === 0
      ? [`${at}.startAfter.perYear: must be false without a "format" that has {yyyy}, got true`]
      : [];
  } catch (error) {
    if (!isIdError(error)) throw error;
    return [`${at}.startAfter.format: ${error.message}`];
  }
}
