import type { ConfiguredGenerator } from '@ids/config';
import { isIdError } from '@ids/core';
import { commonFlags } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-code.js';
import { type NeededTable, neededTables } from '../needed-tables.js';
import { writeJson } from '../output.js';
import { planAll, readNoted, withStandIns } from '../read-config.js';
import { missingOf, namingGenerators, type SchemaStep, schemaSteps } from '../schema-steps.js';
import { openDatabase } from '../sequence-place.js';
import { subcommand } from '../subcommand.js';

const flags = {
  'dry-run': { type: 'boolean', description: 'print the SQL, and change nothing' },
  ...commonFlags,
} as const;

/** Makes the tables and sequences that the config needs and that are missing. What is there is left alone. */
export const applyCommand = subcommand(
  'Make what the config needs in the database',
  flags,
  async (args, context) => {
    const { 'dry-run': dryRun = false, json } = args;
    const standIns = dryRun ? (['redis', 'database'] as const) : (['redis'] as const);
    const read = withStandIns(await readNoted(context), standIns);
    const generators = [...planAll(read, context.strategies).values()];
    if (dryRun) {
      const steps = await dryRunOf(generators, context);
      const missing = steps.flatMap(({ makes }) => makes);
      const sql = steps.map((step) => step.sql).join('\n');
      if (json) writeJson(context.stdout, { missing, sql });
      else context.stdout.write(sql === '' ? '-- nothing to make\n' : sql);
      return EXIT.ok;
    }
    const made: string[] = [];
    for (const needed of neededTables(generators)) {
      for await (const line of make(needed)) {
        made.push(line);
        if (!json) context.stdout.write(`made ${line}\n`);
      }
    }
    if (json) writeJson(context.stdout, { made });
    else if (made.length === 0) context.stdout.write('nothing to make\n');
    return EXIT.ok;
  },
);

/** Makes what is missing of a table, and gives a line for each thing as soon as it is made. */
export async function* make(needed: NeededTable): AsyncIterable<string> {
  const database = await openDatabase(needed.database);
  try {
    for (const step of await schemaSteps(database, needed)) {
      if (await step.run(database)) yield* step.makes;
    }
  } catch (error) {
    throw namingGenerators(error, needed);
  } finally {
    await database.close();
  }
}

/** What would be made; all that is needed where the database cannot be asked. */
async function dryRunOf(
  generators: readonly ConfiguredGenerator[],
  { stderr }: CommandContext,
): Promise<SchemaStep[]> {
  const steps: SchemaStep[] = [];
  for (const needed of neededTables(generators)) {
    try {
      steps.push(...(await missingOf(needed)));
    } catch (error) {
      if (!isIdError(error)) throw error;
      stderr.write(
        `ids: the database was not asked: ${error.message.split('\n').join('\nids: ')}\n` +
          `ids: this is all that the config needs in table ${needed.table}; it can be run where some of it exists\n`,
      );
      steps.push(...(await schemaSteps(undefined, needed)));
    }
  }
  return steps;
}
