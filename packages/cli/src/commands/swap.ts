import { InvalidArgumentError } from '@commander-js/extra-typings';
import {
  type ConfiguredGenerator,
  type GeneratorConfig,
  type IdsConfig,
  planGenerator,
  type ReadConfig,
} from '@ids/config';
import { type ColumnFacts, planSwap, type SwapOptions, type SwapPlan } from '@ids/config/swap';
import { IdError } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import { columnFacts } from '../columns/column.js';
import { sideOf } from '../swap/swap-side.js';
import { checkSwap, type ShownStep, shownSteps } from '../swap/swap-steps.js';
import { NO_DATABASE, openDatabase, readAndWarn, withPlaceholders } from '../tables/generators.js';
import { type AddCommand, type CommandContext, EXIT, wholeNumber } from '../terminal/command.js';
import { writeJson, writeTable } from '../terminal/output.js';

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
    .option('--stopped', 'all processes of the old generator have been stopped')
    .option('--in-order', 'IDs must rise across the swap: stop the old processes first')
    .option(
      '--room <IDs>',
      'how many IDs old processes may still reserve beside new ones (default: 1,000,000,000)',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--check <floor>',
      'only look whether the old sequence stayed below the floor of a plan; exits with 1 if not',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(
      actionOf(async (context, { from, to, generator, column: given, check, ...options }) => {
        const read = withPlaceholders(await readAndWarn(context), ['redis', 'database']);
        const before = sideNamed(from, generator, read, context);
        const after = sideNamed(to, generator, read, context);
        if (check !== undefined) {
          const result = checkSwap(await sideOf(before), BigInt(check), from);
          if (context.json) writeJson(context.stdout, result);
          else context.stdout.write(`${result.text}\n`);
          return result.ok ? EXIT.ok : EXIT.failed;
        }
        const column = given ?? before.column ?? after.column;
        const { stopped, inOrder = false, room } = options;
        const circumstances = { stopped, inOrder, room: room === undefined ? undefined : BigInt(room) };
        const plan = await planned(before, after, column, databaseOf(read), circumstances);
        const hashes = [after, before].flatMap(({ store }) => store?.hash ?? []);
        const call = { from, to, generator, column: given, inOrder, hashes };
        const steps = shownSteps(plan.steps, call, after.name);
        if (context.json) writeJson(context.stdout, { ...plan, steps });
        else show(plan, steps, context);
        return EXIT.ok;
      }),
    );

async function planned(
  before: ConfiguredGenerator,
  after: ConfiguredGenerator,
  column: string | undefined,
  shared: unknown,
  options: SwapOptions,
): Promise<SwapPlan> {
  const [from, young] = [await sideOf(before), await sideOf(after)];
  // A new sequence that does not exist yet starts at 1. For an old one that does not exist, nobody knows how
  // far it went.
  const fresh = young.missing !== undefined && after.options.database !== NO_DATABASE;
  const to = fresh ? { reserved: 0n, ...young } : young;
  if (column === undefined) return planSwap(from, to, undefined, options);
  const known = [before.options.database, after.options.database, shared];
  await using database = await openFirst(known);
  const facts = await columnFacts(database, column, { counted: true });
  // Numbers that the database gave to rows which are gone, or not committed yet, were issued as well.
  const { maxId, counter } = facts;
  const greatest = counter !== undefined && counter.upTo > (maxId ?? 0n) ? counter.upTo : maxId;
  const newColumn = await newColumnFacts(after, column, known);
  return planSwap(from, to, { ...facts, maxId: greatest }, { ...options, newColumn });
}

/** The column of the new ids; undefined if it is that of the existing ones. */
async function newColumnFacts(
  { column, options }: ConfiguredGenerator,
  existing: string,
  known: readonly unknown[],
): Promise<ColumnFacts | undefined> {
  if (column === undefined || column === existing) return undefined;
  await using database = await openFirst([options.database, ...known]);
  return await columnFacts(database, column);
}

/** Without a time limit: a column without an index takes its time. */
function openFirst(databases: readonly unknown[]) {
  return openDatabase(databases.find((it) => it !== undefined && it !== NO_DATABASE));
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
    throw new InvalidArgumentError(
      unknownNameMessage('generator or strategy', name, [...names, ...strategies.map((known) => known.name)]),
    );
  }
  const model = like ?? (names.length === 1 ? names[0] : undefined);
  if (model === undefined)
    throw new InvalidArgumentError(
      `${name} needs the options of a generator: name one with --generator (${names.join(', ')})`,
    );
  if (!Object.hasOwn(generators, model))
    throw new IdError('ERR_IDS_CONFIG', unknownNameMessage('generator', model, names));
  const kept = Object.entries(generators[model] ?? {}).filter(
    ([option]) => strategy.optionNames.includes(option) || option === 'encode' || option === 'column',
  );
  const candidate: GeneratorConfig = { ...Object.fromEntries(kept), ...strategy.example, strategy: name };
  return planGenerator(strategies, shared, model, candidate, { fromEnvironment: true });
}

const MOODS = { same: 'good', change: 'odd', danger: 'bad' } as const;

function show({ findings, floor }: SwapPlan, steps: readonly ShownStep[], { stdout }: CommandContext): void {
  const rows = findings.map(({ about, verdict, from, to, advice = '' }) => {
    return { cells: [verdict, about, from, to, advice], mood: MOODS[verdict] };
  });
  writeTable(stdout, ['', 'about', 'from', 'to', 'what to do'], rows);
  writeTable(
    stdout,
    ['floor', ''],
    [{ cells: ['floor', floor === undefined ? noFloor(steps) : String(floor)] }],
  );
  writeTable(
    stdout,
    ['step', 'what to do', 'command'],
    steps.map(({ text, command = '' }, index) => ({ cells: [String(index + 1), text, command] })),
  );
}

function noFloor(steps: readonly ShownStep[]): string {
  if (steps.length === 0) return 'none is safe';
  return steps.some((step) => step.do === 'again') ? 'not known yet' : 'none needed';
}
