import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type IdsConfig, type PlannedSeries, planSeries } from '@ids/config';
import { isIdError } from '@ids/core';
import { createNumberFormat } from '@ids/encode';
import { type Documents, type Finding, findGaps } from '@ids/gapless';
import { isTableName, type SqlExecutor } from '@ids/store';
import { dialectOf } from '../dialects/any-dialect.js';
import { assertExists } from '../tables/existing.js';
import { bounded, openDatabase, readAndWarn } from '../tables/generators.js';
import { type AddCommand, EXIT, wholeNumber } from '../terminal/command.js';
import { writeJson, writeTable } from '../terminal/output.js';

/** Lists missing and repeated numbers of a table. It reads only, and fails if there are any. */
export const addGaps: AddCommand = (ids, actionOf) =>
  ids
    .command('gaps')
    .description('List missing and repeated numbers of a table; exits with 1 if there are any')
    .argument(
      '[series]',
      'the series that issues them, in the config or in the database: also compares the ends',
    )
    .option('--table <table>', 'the table with the numbers, table or schema.table (default: as configured)')
    .option('--column <column>', 'its column with the numbers (default: as configured)')
    .option('--key-column <column>', 'its column with the key, such as customer')
    .option('--format <format>', 'if numbers are strings: their format, such as INV-{yyyy}-{00000}')
    .option('--per-year', 'numbers start again each year; needs a --format with a year')
    .option('--start <n>', 'the first number of each key, or lowest', startOf, 1)
    .option('--limit <n>', 'the most lines', wholeNumber(1, 1_000_000), 1_000)
    .option('--numbers <table>', 'the table of the series (default: id_number)')
    .action(
      actionOf(async (context, series, options) => {
        const { start, limit, numbers } = options;
        const { config } = await readAndWarn(context);
        const planned = series === undefined ? undefined : planSeries(config).get(series);
        const { database: url } = planned ?? (config as Partial<IdsConfig>);
        assertExists(url);
        await using database = await openDatabase(url);
        const documents = documentsOf(options, planned);
        await assertNotLocked(database, documents);
        const report = await findGaps(database, documents, {
          series: planned?.series.name ?? series,
          table: numbers ?? planned?.series.table,
          start,
          limit,
        });
        const { findings, more } = report;
        if (context.json) {
          writeJson(context.stdout, report);
        } else {
          writeTable(context.stdout, ['what', 'numbers', 'key'], findings.map(rowOf));
          if (more) context.stderr.write(`ids: there are more than ${limit}; raise --limit to see them\n`);
          if (findings.length === 0) context.stdout.write('no number is missing or repeated\n');
        }
        return findings.length === 0 ? EXIT.ok : EXIT.failed;
      }),
    );

/** An audit takes as long as the table is large, but waits no longer for a lock than other commands. */
async function assertNotLocked(database: SqlExecutor, { table }: Documents): Promise<void> {
  if (!isTableName(table)) return;
  const quoted = dialectOf(database).quoted(table);
  try {
    await bounded(database).execute(`SELECT 1 FROM ${quoted} WHERE 1 = 0`, []);
  } catch (error) {
    // Whatever else is wrong, the audit says so.
    if (isIdError(error)) throw error;
  }
}

interface DocumentOptions {
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly keyColumn?: string | undefined;
  readonly format?: string | undefined;
  readonly perYear?: true | undefined;
}

/** What the command line says; without a table, what `startAfter` of the series says. */
function documentsOf(
  { table, column, keyColumn, format, perYear }: DocumentOptions,
  planned: PlannedSeries | undefined,
): Documents {
  if (table === undefined && planned?.startAfter !== undefined) return planned.startAfter;
  if (table === undefined || column === undefined) {
    throw new InvalidArgumentError(
      `${table === undefined ? '--table' : '--column'} is required, unless a series is named whose config has "startAfter"`,
    );
  }
  return {
    table,
    column,
    keyColumn,
    perYear,
    format: format === undefined ? undefined : createNumberFormat({ format, sortable: false }),
  };
}

function rowOf({ key, kind, first, last }: Finding) {
  const numbers = first === last ? `${first}` : `${first} to ${last}`;
  return { cells: [kind, numbers, key], mood: 'bad' as const };
}

function startOf(text: string): number | 'lowest' {
  return text === 'lowest' ? text : wholeNumber(0, Number.MAX_SAFE_INTEGER)(text);
}
