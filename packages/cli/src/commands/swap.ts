import {
  type ConfiguredGenerator,
  type GeneratorConfig,
  type IdsConfig,
  planGenerator,
  planSwap,
  type ReadConfig,
  type SwapPlan,
  type SwapSide,
} from '@ids/config';
import { IdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { SqlSegmentSource } from '@ids/segment/sql';
import { commonFlags } from '../arguments.js';
import { columnFacts } from '../checks/column-facts.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit-code.js';
import { neededTables } from '../needed-tables.js';
import { writeJson, writeTable } from '../output.js';
import { NO_DATABASE, readNoted, withStandIns } from '../read-config.js';
import { missingOf } from '../schema-steps.js';
import { openDatabase, sequenceOf } from '../sequence-place.js';
import { subcommand } from '../subcommand.js';

const flags = {
  from: {
    type: 'string',
    required: true,
    valueHint: 'name',
    description: 'a generator of the config, or a strategy',
  },
  to: { type: 'string', required: true, valueHint: 'name', description: 'likewise' },
  generator: {
    type: 'string',
    valueHint: 'name',
    description: 'whose options a strategy gets (the only one)',
  },
  column: {
    type: 'string',
    valueHint: 'table.column',
    description: 'what holds the ids given so far (its own)',
  },
  ...commonFlags,
} as const;

/** Says what a swap changes, before anyone deploys. Changes nothing and refuses nothing. */
export const swapCommand = subcommand(
  'Say what a swap of strategies changes',
  flags,
  async (args, context) => {
    const { from, to, json } = args;
    if (from === undefined || to === undefined) throw new UsageError('--from and --to are both needed');
    const read = withStandIns(await readNoted(context), ['redis', 'database']);
    const before = sideNamed(from, args.generator, read, context);
    const after = sideNamed(to, args.generator, read, context);
    const column = args.column ?? before.column ?? after.column;
    const plan = await planned(before, after, column, databaseOf(read));
    if (json) writeJson(context.stdout, plan);
    else show(plan, context);
    return EXIT.ok;
  },
);

async function planned(
  before: ConfiguredGenerator,
  after: ConfiguredGenerator,
  column: string | undefined,
  shared: unknown,
): Promise<SwapPlan> {
  const [from, young] = [await sideOf(before), await sideOf(after)];
  // A new sequence that is not there yet starts at 1; how far an old one went that is
  // not there, nobody knows.
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
 * The generator of that name; or, for the name of a strategy, the one that it would make
 * with the options of another.
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
    throw new UsageError(`whose options shall ${name} get? name one with --generator (${names.join(', ')})`);
  if (!Object.hasOwn(generators, model))
    throw new IdError('ERR_IDS_CONFIG', unknownName('generator', model, names));
  const kept = Object.entries(generators[model] ?? {}).filter(
    ([option]) => strategy.optionNames.includes(option) || option === 'encode' || option === 'column',
  );
  const candidate: GeneratorConfig = { ...Object.fromEntries(kept), ...strategy.example, strategy: name };
  return planGenerator(strategies, shared, model, candidate, { fromEnvironment: true });
}

async function sideOf(generator: ConfiguredGenerator): Promise<SwapSide> {
  const { guarantees } = generator;
  const place = sequenceOf(generator);
  const [needed] = neededTables([generator]);
  if (place === undefined || needed === undefined) return { guarantees };
  const { database, name } = place;
  const { table } = needed;
  // What names it while it has no realm of its own.
  const unmade = { guarantees, sequence: `${String(database)} ${table} ${name}` };
  if (database === NO_DATABASE) return { ...unmade, missing: 'a database: set IDS_DATABASE_URL' };
  const makes = (await missingOf(needed)).flatMap((step) => step.makes);
  if (makes.some((what) => /^(?:table|sequence) /.test(what)))
    return { ...unmade, missing: makes.join(', ') };
  const executor = await openDatabase(database);
  try {
    const { realm, maxId } = await new SqlSegmentSource(executor, { table }).describe(name);
    const missing = makes.length === 0 ? {} : { missing: makes.join(', ') };
    return { guarantees, sequence: realm, reserved: BigInt(maxId), ...missing };
  } finally {
    await executor.close();
  }
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
