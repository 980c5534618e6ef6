import {
  type ConfiguredGenerator,
  type GeneratorConfig,
  type IdsConfig,
  planGenerator,
  planSwap,
  type ReadConfig,
  type SwapPlan,
} from '@ids/config';
import { IdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { columnFacts } from '../column.js';
import { type AddCommand, type CommandContext, EXIT, UsageError } from '../command.js';

import { NO_DATABASE, openDatabase, readAndWarn, withPlaceholders } from '../generators.js';
import { writeJson, writeTable } from '../output.js';
import { sideOf } from '../swap-side.js';

/** Shows what a swap changes, before anyone deploys it. Changes nothing and rejects nothing. */
export const addSwap: AddCommand = (ids, actionOf) =>
  ids
    .command('swap')
    .description('Show what changes with another strategy')
    .requiredOption('--from <name>', 'a generator of the config, or a strategy, before the swap')
    .requiredOption('--to <name>', 'the same, after the swap')
    .option(
      '--generator <name>',
      'if --from or --to is a strategy: the generator that it takes options from (default: the only one)',
    )
    .option(
      '--column <table.column>',
      'the column that holds the IDs issued so far (default: the one in the config)',
    )
    .action(
      actionOf(async (context, { from, to, generator, column: given }) => {
        const read = withPlaceholders(await readAndWarn(context), ['redis', 'database']);
        const before = sideNamed(from, generator, read, context);
        const after = sideNamed(to, generator, read, context);
        const column = given ?? before.column ?? after.column;
        const plan = await planned(before, after, column, databaseOf(read));
        if (context.json) writeJson(context.stdout, plan);
        else show(plan, context);
        return EXIT.ok;
      }),
    );

async function planned(
  before: ConfiguredGenerator,
  after: ConfiguredGenerator,
  column: string | undefined,
  shared: unknown,
): Promise<SwapPlan> {
  const [from, young] = [await sideOf(before), await sideOf(after)];
  // A new sequence that does not exist yet starts at 1. For an old one that does not exist, nobody knows how
  // far it went.
  const fresh = young.missing !== undefined && after.options.database !== NO_DATABASE;
  const to = fresh ? { reserved: 0n, ...young } : young;
  if (column === undefined) return planSwap(from, to);
  const known = [before.options.database, after.options.database, shared];
  const database = await openDatabase(known.find((it) => it !== undefined && it !== NO_DATABASE));
  try {
    return planSwap(from, to, await columnFacts(database, column));
  } finally {
    await database.close();
  }
}

function databaseOf({ config }: ReadConfig): unknown {
  return (config as Partial<IdsConfig>).database;
}

/**
 * The generator of that name. For the name of a strategy: a generator of that strategy with the options of
 * another generator.
 */
function sideNamed(
  name: string,
  like: string | undefined,
  { config }: ReadConfig,
  { strategies }: CommandContext,
): ConfiguredGenerator {
  const { generators = {}, ...shared } = config as Partial<IdsConfig>;
  const own = Object.hasOwn(generators, name) ? generators[name] : undefined;
  if (own !== undefined) return planGenerator(strategies, shared, name, own, { fromEnvironment: true });
  const strategy = strategies.find((candidate) => candidate.name === name);
  const names = Object.keys(generators);
  if (strategy === undefined) {
    throw new UsageError(
      unknownName('generator or strategy', name, [...names, ...strategies.map((known) => known.name)]),
    );
  }
  const model = like ?? (names.length === 1 ? names[0] : undefined);
  if (model === undefined)
    throw new UsageError(
      `${name} needs the options of a generator: name one with --generator (${names.join(', ')})`,
    );
  if (!Object.hasOwn(generators, model))
    throw new IdError('ERR_IDS_CONFIG', unknownName('generator', model, names));
  const kept = Object.entries(generators[model] ?? {}).filter(
    ([option]) => strategy.optionNames.includes(option) || option === 'encode' || option === 'column',
  );
  const candidate: GeneratorConfig = { ...Object.fromEntries(kept), ...strategy.example, strategy: name };
  return planGenerator(strategies, shared, model, candidate, { fromEnvironment: true });
}

const MOODS = { same: 'good', change: 'odd', danger: 'bad' } as const;

function show({ findings, floor }: SwapPlan, { stdout }: CommandContext): void {
  const rows = findings.map(({ about, verdict, from, to, advice = '' }) => {
    return { cells: [verdict, about, from, to, advice], mood: MOODS[verdict] };
  });
  writeTable(stdout, ['', 'about', 'from', 'to', 'what to do'], rows);
  writeTable(
    stdout,
    ['floor', ''],
    [{ cells: ['floor', floor === undefined ? 'none needed' : String(floor)] }],
  );
}
