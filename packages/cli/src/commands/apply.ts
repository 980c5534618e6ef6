import { type ConfiguredGenerator, planSeries } from '@ids/config';
import { isIdError } from '@ids/core';
import {
  bounded,
  type NeededTable,
  neededTables,
  openDatabase,
  planAll,
  readAndWarn,
  withPlaceholders,
} from '../tables/generators.js';
import type { SchemaStep, SequenceStart } from '../tables/schema-step.js';
import {
  assertUsable,
  isHopeless,
  missingOf,
  namingGenerators,
  type StepOptions,
  schemaSteps,
  standingOf,
  Unfixable,
} from '../tables/schema-steps.js';
import { applySeries, seriesDryRun } from '../tables/series-steps.js';
import { standsBelow } from '../tables/stands-below.js';
import { type AddCommand, type CommandContext, EXIT, wholeNumber } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';

/**
 * Creates the missing tables, sequences and series that the config needs. Of existing ones, it only raises
 * series that are below numbers in their tables.
 */
export const addApply: AddCommand = (ids, actionOf) =>
  ids
    .command('apply')
    .description('Create the tables, sequences and series that the config needs')
    .option('--dry-run', 'print the SQL and change nothing')
    .option('--procedure', 'also the procedure ids_reserve of Postgres, for other languages')
    .option(
      '--start-after <ID>',
      'start new sequences above it at least, and do not ask for columns that cannot be read',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--force', 'leave a sequence below IDs that are known, so that they are issued again')
    .action(
      actionOf(async (context, { dryRun, procedure, startAfter, force = false }) => {
        const options = { procedure, startAfter };
        const { json } = context;
        const placeholders = dryRun ? (['redis', 'database'] as const) : (['redis'] as const);
        const read = withPlaceholders(await readAndWarn(context), placeholders);
        const generators = [...planAll(read, context.strategies).values()];
        const series = [...planSeries(read.config).values()];
        if (!force && !dryRun) for (const needed of neededTables(generators)) await assertNoneBelow(needed);
        if (dryRun) {
          const steps = [
            ...(await dryRunOf(generators, context, options, force)),
            ...(await seriesDryRun(series, context)),
          ];
          const missing = steps.flatMap(({ creates }) => creates);
          const starts = steps.flatMap(({ start }) => start ?? []);
          const sql = steps.map((step) => step.sql).join('\n');
          if (json) writeJson(context.stdout, { missing, starts, sql });
          else context.stdout.write(sql === '' ? '-- nothing to create\n' : sql);
          return EXIT.ok;
        }
        const made: string[] = [];
        const starts: SequenceStart[] = [];
        // As soon as it exists, so that it is known what does if a later step fails.
        const report = (verb: string, line: string): void => {
          made.push(line);
          if (json) context.stderr.write(`ids: ${verb} ${line}\n`);
          else context.stdout.write(`${verb} ${line}\n`);
        };
        for (const needed of neededTables(generators))
          for await (const { creates, start, notes = [] } of createMissing(needed, options)) {
            if (start !== undefined) starts.push(start);
            for (const note of notes) context.stderr.write(`ids: ${note}\n`);
            for (const line of creates) report('created', line);
          }
        for (const one of series) for await (const { line, verb } of applySeries(one)) report(verb, line);
        if (json) writeJson(context.stdout, { made, starts });
        else if (made.length === 0) context.stdout.write('nothing to create\n');
        return EXIT.ok;
      }),
    );

/**
 * Throws if a sequence that exists stands below ids that are known to have been issued: what goes on from
 * there repeats them. One that is created starts above them.
 */
async function assertNoneBelow(needed: NeededTable): Promise<void> {
  await using database = await openDatabase(needed.database);
  try {
    // A column without an index takes its time.
    for (const { entry, maxId } of await standingOf(bounded(database), needed)) {
      const { repeats } = await standsBelow(database, needed, entry, maxId);
      if (repeats === undefined) continue;
      const [generator = ''] = entry.generators;
      throw new Unfixable(
        'ERR_IDS_CONFIG',
        `sequence "${entry.name}" is reserved up to ${maxId}, but ${repeats.text}; nothing was created. ` +
          `To raise it, ${repeats.first} npx --no -- ids floor ${generator} ${repeats.upTo}, or a higher ID that anybody saw; --force leaves it there`,
      );
    }
  } catch (error) {
    throw namingGenerators(error, needed);
  }
}

/** Creates what a table lacks, and yields each step as soon as that has created something. */
export async function* createMissing(needed: NeededTable, options?: StepOptions): AsyncIterable<SchemaStep> {
  await using database = await openDatabase(needed.database);
  try {
    for (const step of await schemaSteps(database, needed, options)) {
      if (await step.run(database)) yield step;
    }
    await assertUsable(database, needed);
  } catch (error) {
    throw namingGenerators(error, needed);
  }
}

/** What `apply` would create; everything that is needed if the database cannot be queried. */
async function dryRunOf(
  generators: readonly ConfiguredGenerator[],
  { stderr }: CommandContext,
  options: StepOptions,
  force: boolean,
): Promise<SchemaStep[]> {
  const steps: SchemaStep[] = [];
  for (const needed of neededTables(generators)) {
    try {
      steps.push(...(await missingOf(needed, { ...options, usable: true })));
      if (!force) await assertNoneBelow(needed);
    } catch (error) {
      const { cause } = Object(error) as { readonly cause?: unknown };
      if (!isIdError(error) || isHopeless(cause)) throw error;
      stderr.write(
        `ids: the database could not be queried: ${error.message.split('\n').join('\nids: ')}\n` +
          `ids: this is everything that the config needs in table ${needed.table}; it is safe to run if some of it exists\n`,
      );
      steps.push(...(await schemaSteps(undefined, needed, options)));
    }
  }
  return steps;
}
