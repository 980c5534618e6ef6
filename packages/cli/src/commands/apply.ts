import type { ConfiguredGenerator } from '@ids/config';
import { isIdError } from '@ids/core';
import { type AddCommand, type CommandContext, EXIT } from '../command.js';

import {
  type NeededTable,
  neededTables,
  openDatabase,
  planAll,
  readAndWarn,
  withPlaceholders,
} from '../generators.js';
import { writeJson } from '../output.js';

import type { SchemaStep } from '../schema-step.js';
import { missingOf, NoStart, namingGenerators, schemaSteps } from '../schema-steps.js';

/** Creates the missing tables and sequences that the config needs. Leaves existing ones alone. */
export const addApply: AddCommand = (ids, actionOf) =>
  ids
    .command('apply')
    .description('Create the tables and sequences that the config needs')
    .option('--dry-run', 'print the SQL and change nothing')
    .action(
      actionOf(async (context, { dryRun }) => {
        const { json } = context;
        const placeholders = dryRun ? (['redis', 'database'] as const) : (['redis'] as const);
        const read = withPlaceholders(await readAndWarn(context), placeholders);
        const generators = [...planAll(read, context.strategies).values()];
        if (dryRun) {
          const steps = await dryRunOf(generators, context);
          const missing = steps.flatMap(({ creates }) => creates);
          const sql = steps.map((step) => step.sql).join('\n');
          if (json) writeJson(context.stdout, { missing, sql });
          else context.stdout.write(sql === '' ? '-- nothing to create\n' : sql);
          return EXIT.ok;
        }
        const made: string[] = [];
        for (const needed of neededTables(generators)) {
          for await (const line of createMissing(needed)) {
            made.push(line);
            if (!json) context.stdout.write(`created ${line}\n`);
          }
        }
        if (json) writeJson(context.stdout, { made });
        else if (made.length === 0) context.stdout.write('nothing to create\n');
        return EXIT.ok;
      }),
    );

/** Creates what a table lacks, and yields a line for each thing as soon as it exists. */
export async function* createMissing(needed: NeededTable): AsyncIterable<string> {
  const database = await openDatabase(needed.database);
  try {
    for (const step of await schemaSteps(database, needed)) {
      if (await step.run(database)) yield* step.creates;
    }
  } catch (error) {
    throw namingGenerators(error, needed);
  } finally {
    await database.close();
  }
}

/** What `apply` would create; everything that is needed if the database cannot be queried. */
async function dryRunOf(
  generators: readonly ConfiguredGenerator[],
  { stderr }: CommandContext,
): Promise<SchemaStep[]> {
  const steps: SchemaStep[] = [];
  for (const needed of neededTables(generators)) {
    try {
      steps.push(...(await missingOf(needed)));
    } catch (error) {
      // SQL that begins below the ids of a column would repeat them.
      if (!isIdError(error) || error.cause instanceof NoStart) throw error;
      stderr.write(
        `ids: the database could not be queried: ${error.message.split('\n').join('\nids: ')}\n` +
          `ids: this is everything that the config needs in table ${needed.table}; it is safe to run if some of it exists\n`,
      );
      steps.push(...(await schemaSteps(undefined, needed)));
    }
  }
  return steps;
}
