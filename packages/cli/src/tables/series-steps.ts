import type { PlannedSeries } from '@ids/config';
import { IdError, isIdError } from '@ids/core';
import {
  createSeriesWithin,
  describeSeries,
  ensureNumberSchema,
  findUnseeded,
  missingNumberSchema,
  numberSchema,
  type Seeded,
  seedWithin,
  seriesSql,
} from '@ids/gapless';
import { type SqlExecutor, WrongTableError } from '@ids/store';
import { WAIT_SECONDS } from '../dialects/own-transaction.js';
import type { CommandContext } from '../terminal/command.js';
import { bounded, dialectOfUrl, NO_DATABASE, openDatabase } from './generators.js';
import { type SchemaStep, tableStep } from './schema-step.js';
import { inTransaction } from './transaction.js';

/** A step of a series, and whether it creates something or only raises keys. */
interface SeriesStep extends SchemaStep {
  readonly verb: 'created' | 'raised';
}

/**
 * What a series lacks: its tables, itself, and the numbers that a table of documents is ahead of; everything
 * if there is no database to query.
 */
async function seriesSteps(database: SqlExecutor | undefined, planned: PlannedSeries): Promise<SeriesStep[]> {
  const { series, startAfter } = planned;
  const { name, table } = series;
  const dialect = database?.dialect ?? dialectOfUrl(planned.database);
  const own = database && bounded(database);
  const parts = own === undefined ? (['table'] as const) : await missingNumberSchema(own, { table });
  const steps: SeriesStep[] = [];
  if (parts.length > 0) {
    const sql = numberSchema(table, { dialect });
    const ddl = tableStep({ table, parts, sql }, (to) => ensureNumberSchema(to, { table }));
    steps.push({ ...ddl, verb: 'created' });
  }
  const asked = own !== undefined && !parts.includes('table');
  const exists = asked && (await describeSeries(own, name, { table })) !== undefined;
  const ahead =
    database === undefined || startAfter === undefined
      ? { keys: 0, highest: 0 }
      : await findUnseeded(database, name, startAfter, { table });
  if (exists && ahead.keys === 0) return steps;
  steps.push({
    verb: exists ? 'raised' : 'created',
    creates: [`series ${name} in table ${table}${seedText(ahead, planned)}`],
    sql: seriesSql(name, { table, dialect, startAfter }),
    run: () => startSeries(planned),
  });
  return steps;
}

function seedText({ keys, highest }: Seeded, { startAfter }: PlannedSeries): string {
  if (keys === 0 || startAfter === undefined) return '';
  const { table, column } = startAfter;
  return `, after the numbers of ${table}.${column}: ${keys === 1 ? '1 key' : `${keys} keys`}, the highest ${highest}`;
}

/**
 * Creates a series and seeds it in one transaction: whoever takes numbers finds no series, or one that goes
 * on from what exists. Twice: it raises what was written in the meantime. After a loss of the answer: the
 * next run finds what is done. Beside services that take numbers: it waits for those that write the
 * documents, and they for it, for `WAIT_SECONDS` at most.
 */
async function startSeries({ entry, series, database, startAfter }: PlannedSeries): Promise<boolean> {
  const { name, table } = series;
  try {
    return await inTransaction(database, async (tx) => {
      const created = await createSeriesWithin(tx, name, { table });
      if (startAfter === undefined) return created;
      await seedWithin(tx, name, startAfter, { table });
      return true;
    });
  } catch (error) {
    const collided = /\b(40P01|40001|1213|1020)\b/.test([Object(error).code, Object(error).errno].join(' '));
    const waited = isIdError(error) && error.code === 'ERR_IDS_TIMEOUT';
    if (!collided && !waited) throw error;
    const where = startAfter === undefined ? table : startAfter.table;
    throw new IdError(
      'ERR_IDS_TIMEOUT',
      `series.${entry}: ${collided ? 'it collided with a transaction that writes to' : `for ${WAIT_SECONDS} s, a transaction has been open that has written to`} ${where}. Nothing of the series was changed; run npx --no -- ids apply again`,
      { cause: error },
    );
  }
}

/** Creates what a series lacks, and yields a line for each thing as soon as it exists. */
export async function* applySeries(
  planned: PlannedSeries,
): AsyncIterable<{ readonly verb: SeriesStep['verb']; readonly line: string }> {
  try {
    await using database = await openDatabase(planned.database);
    for (const { run, creates, verb } of await seriesSteps(database, planned)) {
      if (await run(database)) for (const line of creates) yield { verb, line };
    }
  } catch (error) {
    throw namingSeries(error, planned);
  }
}

/** The steps of all series; everything that a series needs if its database cannot be queried. */
export async function seriesDryRun(
  all: readonly PlannedSeries[],
  { stderr }: CommandContext,
): Promise<SchemaStep[]> {
  const steps: SchemaStep[] = [];
  const seen = new Map<unknown, Set<string>>();
  for (const planned of all) {
    const found = await stepsOf(planned, stderr);
    // Several series need one table.
    const known = seen.get(planned.database) ?? new Set();
    seen.set(planned.database, known);
    steps.push(...found.filter(({ sql }) => !known.has(sql)));
    for (const { sql } of found) known.add(sql);
  }
  return steps;
}

async function stepsOf(planned: PlannedSeries, stderr: CommandContext['stderr']): Promise<SchemaStep[]> {
  const { database: url, series } = planned;
  try {
    await using database = await openDatabase(url === NO_DATABASE ? undefined : url);
    return await seriesSteps(database, planned);
  } catch (error) {
    const noDatabase = url === undefined || url === NO_DATABASE;
    const unreachable = noDatabase || (isIdError(error) && error.code !== 'ERR_IDS_CONFIG');
    if (error instanceof WrongTableError || !unreachable) throw namingSeries(error, planned);
    stderr.write(
      `ids: the database could not be queried: ${(error as Error).message.split('\n').join('\nids: ')}\n` +
        `ids: this is everything that series ${series.name} needs; it is safe to run if some of it exists\n`,
    );
    return await seriesSteps(undefined, planned);
  }
}

/** Adds the name of the series to an error. */
function namingSeries(error: unknown, { entry }: PlannedSeries): unknown {
  if (!isIdError(error) || error.message.startsWith(`series.${entry}: `)) return error;
  return new IdError(error.code, `series.${entry}: ${error.message}`, { cause: error });
}
