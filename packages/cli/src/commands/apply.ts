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
import { aboveOf, issuedIds, repeatsText } from '../issued.js';
import { writeJson } from '../output.js';

import type { SchemaStep } from '../schema-step.js';
import {
  assertUsable,
  isHopeless,
  missingOf,
  NoStart,
  namingGenerators,
  type StepOptions,
  schemaSteps,
  standingOf,
} from '../schema-steps.js';

/** Creates the missing tables and sequences that the config needs. Leaves existing ones alone. */
export const addApply: AddCommand = (ids, actionOf) =>
  ids
    .command('apply')
    .description('Create the tables and sequences that the config needs')
    .option('--dry-run', 'print the SQL and change nothing')
    .option('--procedure', 'also the procedure ids_reserve of Postgres, for other languages')
    .option('--force', 'leave a sequence below IDs that are known, so that they are issued again')
    .action(
      actionOf(async (context, { dryRun, procedure, force = false }) => {
        const { json } = context;
        const placeholders = dryRun ? (['redis', 'database'] as const) : (['redis'] as const);
        const read = withPlaceholders(await readAndWarn(context), placeholders);
        const generators = [...planAll(read, context.strategies).values()];
        if (!force && !dryRun) for (const needed of neededTables(generators)) await assertNoneBelow(needed);
        if (dryRun) {
          const steps = await dryRunOf(generators, context, { procedure }, force);
          const missing = steps.flatMap(({ creates }) => creates);
          const sql = steps.map((step) => step.sql).join('\n');
          if (json) writeJson(context.stdout, { missing, sql });
          else context.stdout.write(sql === '' ? '-- nothing to create\n' : sql);
          return EXIT.ok;
        }
        const made: string[] = [];
        for (const needed of neededTables(generators)) {
          for await (const line of createMissing(needed, { procedure })) {
            made.push(line);
            if (!json) context.stdout.write(`created ${line}\n`);
          }
        }
        if (json) writeJson(context.stdout, { made });
        else if (made.length === 0) context.stdout.write('nothing to create\n');
        return EXIT.ok;
      }),
    );

/**
 * Throws if a sequence that exists stands below ids that are known to have been issued: what goes on from
 * there repeats them. One that is created starts above them.
 */
async function assertNoneBelow(needed: NeededTable): Promise<void> {
  if (needed.kind === 'slots') return;
  const database = await openDatabase(needed.database);
  try {
    for (const { sequence, maxId } of await standingOf(database, needed)) {
      const above = aboveOf(await issuedIds(database, needed, sequence), maxId);
      if (above === undefined) continue;
      const [generator = ''] = sequence.generators;
      throw new NoStart(
        'ERR_IDS_CONFIG',
        `sequence "${sequence.name}" is reserved up to ${maxId}, but ${repeatsText(above, maxId)}; nothing was created. ` +
          `Raise it with npx --no -- ids floor ${generator} ${above.upTo}, or leave it there with --force`,
      );
    }
  } catch (error) {
    throw namingGenerators(error, needed);
  } finally {
    await database.close();
  }
}

/** Creates what a table lacks, and yields a line for each thing as soon as it exists. */
export async function* createMissing(needed: NeededTable, options?: StepOptions): AsyncIterable<string> {
  const database = await openDatabase(needed.database);
  try {
    for (const step of await schemaSteps(database, needed, options)) {
      if (await step.run(database)) yield* step.creates;
    }
    await assertUsable(database, needed);
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
