import { Option } from '@commander-js/extra-typings';
import { IdError } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import { ORIGINS, type Plan, type Step } from '../migrate/migration.js';
import { mysqlBack, mysqlPlan } from '../migrate/mysql-steps.js';
import { postgresBack, postgresPlan } from '../migrate/postgres-steps.js';
import { type MigrateRequest, migrationOf, sequenceFor } from '../migrate/target.js';
import { openExisting } from '../tables/existing.js';
import { planAll, readAndWarn, withPlaceholders } from '../tables/generators.js';
import { type AddCommand, EXIT, type RunContext, wholeNumber } from '../terminal/command.js';
import { writeJson, writeTable } from '../terminal/output.js';

const PLANS = {
  postgres: { run: postgresPlan, back: postgresBack },
  mysql: { run: mysqlPlan, back: mysqlBack },
};

/** Hands a column that the database numbers over to a generator, or back. Without an option, only looks. */
export const addMigrate: AddCommand = (ids, actionOf) =>
  ids
    .command('migrate')
    .description('Let a generator take over a column that the database numbers, step by step')
    .argument('<generator>', 'the name of the generator in the config')
    .addOption(
      new Option('--from <origin>', 'how the database numbers the column')
        .choices(ORIGINS)
        .makeOptionMandatory(),
    )
    .requiredOption('--table <table>', 'the table, table or schema.table')
    .option('--column <column>', 'its column with the IDs', 'id')
    .option(
      '--room <IDs>',
      'how many IDs old processes may still take, or new ones on the way back',
      wholeNumber(1, 100_000_000_000),
      1_000_000,
    )
    .option('--stopped', 'no process is left that inserts without an ID')
    .addOption(new Option('--run', 'take the next steps, up to one that is yours').conflicts('back'))
    .option('--back', 'take the steps of the way back')
    .action(
      actionOf(async (context, name, { from, table, column, room, stopped = false, run, back }) => {
        const plans = planAll(withPlaceholders(await readAndWarn(context), ['redis']), context.strategies);
        const generator = plans.get(name);
        if (generator === undefined)
          throw new IdError('ERR_IDS_CONFIG', unknownNameMessage('generator', name, [...plans.keys()]));
        const sequence = sequenceFor(generator, [...plans.values()]);
        await using database = await openExisting(sequence.needed.database);
        const request: MigrateRequest = { from, column: `${table}.${column}`, room: BigInt(room), stopped };
        const planned = async (): Promise<Plan> => {
          const migration = await migrationOf(database, name, sequence, request);
          return await PLANS[from === 'auto-increment' ? 'mysql' : 'postgres'][back ? 'back' : 'run'](
            migration,
          );
        };
        const taken = run || back ? await takeSteps(planned, context) : [];
        show(await planned(), taken, context);
        return EXIT.ok;
      }),
    );

const nextOf = ({ steps }: Plan): Step | undefined => steps.find((step) => !step.done);

/** Takes steps up to one that is the user's. Looks at the database again before each. */
async function takeSteps(planned: () => Promise<Plan>, { stderr }: RunContext): Promise<Step['do'][]> {
  const taken: Step['do'][] = [];
  for (;;) {
    const next = nextOf(await planned());
    if (next?.take === undefined) return taken;
    // One that old processes undo at once, as rows that they insert, is left to another call.
    if (taken.filter((one) => one === next.do).length > 2) return taken;
    await next.take();
    taken.push(next.do);
    stderr.write(`ids: did: ${next.text}\n`);
  }
}

function show(plan: Plan, taken: readonly Step['do'][], { json, stdout }: RunContext): void {
  const next = nextOf(plan);
  if (json) {
    const steps = plan.steps.map(({ take: _, ...step }) => step);
    writeJson(stdout, { found: plan.found, steps, taken, next: next?.do });
    return;
  }
  const found = Object.entries(plan.found).flatMap(([what, value]) =>
    value === undefined ? [] : [{ cells: ['found', what, String(value)] }],
  );
  const steps = plan.steps.map((step) => ({
    cells: [stateOf(step, next), step.text, step.done ? '' : (step.sql ?? []).join('; ')],
    mood: step.done ? ('good' as const) : ('odd' as const),
  }));
  writeTable(stdout, ['', 'what', 'value'], found);
  writeTable(stdout, ['', 'step', 'SQL'], steps);
}

function stateOf(step: Step, next: Step | undefined): string {
  if (step.done) return 'done';
  return step === next ? 'next' : 'later';
}
