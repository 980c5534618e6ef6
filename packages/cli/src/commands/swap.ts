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
import { IdError, unknownName } from '@ids/core';
import { SqlSegmentSource } from '@ids/segment/sql';
import { commonFlags } from '../arguments.js';
import { columnFacts } from '../checks/column-facts.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit-code.js';
import { writeJson, writeTable } from '../output.js';
import { readNoted } from '../read-config.js';
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
    const read = await readNoted(context);
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
  const [from, to] = [await sideOf(before), await sideOf(after)];
  if (column === undefined) return planSwap(from, to);
  const database = await openDatabase(before.options.database ?? after.options.database ?? shared);
  try {
    return planSwap(from, to, await columnFacts(database, column));
  } finally {
    await database.close();
  }
}

function databaseOf({ config }: ReadConfig): unknown {
  return (config as Partial<IdsConfig>).database;
}

/** The generator of that name; or, for the name of a strategy, the one that it would make with the options of another. */
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
  const candidate: GeneratorConfig = { ...Object.fromEntries(kept), ...STAND_INS[name], strategy: name };
  return planGenerator(strategies, shared, model, candidate, { fromEnvironment: true });
}

/** Options without which a strategy cannot be looked at, and which change nothing that a plan tells. */
const STAND_INS: Readonly<Record<string, object>> = { gpid: { port: 0 } };

async function sideOf(generator: ConfiguredGenerator): Promise<SwapSide> {
  const place = sequenceOf(generator);
  if (place === undefined) return { guarantees: generator.guarantees };
  const database = await openDatabase(place.database);
  try {
    const source = new SqlSegmentSource(database, place.table === undefined ? {} : { table: place.table });
    const { realm, maxId } = await source.describe(place.name);
    return { guarantees: generator.guarantees, sequence: realm, reserved: BigInt(maxId) };
  } finally {
    await database.close();
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
