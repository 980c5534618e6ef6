import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancel, isCancel, select } from '@clack/prompts';
import { configJsonSchema, type IdsConfig, readConfig } from '@ids/config';
import { type IdStrategy, unknownName } from '@ids/core';
import { createSequence, ensureSchema, segmentSchema } from '@ids/segment/sql';
import { commonFlags } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit-code.js';
import { writeJson } from '../output.js';
import { openDatabase } from '../sequence-place.js';
import { subcommand } from '../subcommand.js';

const flags = {
  strategy: {
    type: 'string',
    valueHint: 'name',
    description: 'which strategy makes the ids (asked for on a terminal)',
  },
  name: { type: 'string', valueHint: 'name', description: 'the name of the generator (order)' },
  apply: {
    type: 'boolean',
    description: 'also make table and sequence, in the database of IDS_DATABASE_URL',
  },
  force: { type: 'boolean', description: 'write over files that exist' },
  ...commonFlags,
} as const;

/** Options without which a strategy opens nothing: a first config has them, to be changed. */
const FIRST_OPTIONS: Readonly<Record<string, object>> = { gpid: { port: 0 } };

/** Writes a config, its JSON Schema and, for strategies that need it, the DDL. */
export const initCommand = subcommand(
  'Write a first config, and the DDL it needs',
  flags,
  async (args, context) => {
    const { name = 'order', apply = false, force = false, json } = args;
    const strategy = strategyNamed(args.strategy ?? (await ask(context)), context);
    const files = filesFor(strategy, name, context.strategies);
    const taken = Object.keys(files).filter((file) => existsSync(join(context.cwd, file)));
    if (taken.length > 0 && !force)
      throw new UsageError(`${taken.join(', ')} exist: --force writes over them`);
    for (const [file, text] of Object.entries(files)) await writeFile(join(context.cwd, file), text);
    if (apply) await makeSequence(strategy, name, context);
    const next = nextSteps(strategy, name, apply);
    if (json) writeJson(context.stdout, { files: Object.keys(files), next });
    else
      context.stdout.write(
        [...Object.keys(files).map((file) => `wrote ${file}`), ...next].join('\n').concat('\n'),
      );
    return EXIT.ok;
  },
);

async function ask({ strategies, stdout }: CommandContext): Promise<string> {
  const names = strategies.map((strategy) => strategy.name);
  if (stdout.isTTY !== true || process.stdin.isTTY !== true) {
    throw new UsageError(`--strategy is needed where nobody can be asked (${names.join(', ')})`);
  }
  const options = strategies.map(({ name, optionNames }) => ({
    value: name,
    label: name,
    hint: needsOf(optionNames),
  }));
  const chosen = await select({ message: 'Which strategy makes the ids?', options });
  if (!isCancel(chosen)) return chosen;
  cancel('Nothing was written.');
  throw new UsageError('no strategy was chosen');
}

function needsOf(optionNames: readonly string[]): string {
  const backends = [optionNames.includes('redis') && 'Redis', optionNames.includes('database') && 'Postgres'];
  return `needs ${backends.filter(Boolean).join(' and ') || 'nothing'}`;
}

function strategyNamed(name: string, { strategies }: CommandContext): IdStrategy {
  const strategy = strategies.find((candidate) => candidate.name === name);
  if (strategy !== undefined) return strategy;
  throw new UsageError(
    unknownName(
      'strategy',
      name,
      strategies.map((known) => known.name),
    ),
  );
}

function filesFor(
  { name: strategy, optionNames }: IdStrategy,
  name: string,
  strategies: readonly IdStrategy[],
): Record<string, string> {
  const config = {
    $schema: './ids.schema.json',
    generators: { [name]: { strategy, ...FIRST_OPTIONS[strategy] } },
  };
  const files = {
    'ids.config.json': `${JSON.stringify(config, null, 2)}\n`,
    'ids.schema.json': `${JSON.stringify(configJsonSchema(strategies), null, 2)}\n`,
  };
  return optionNames.includes('database') ? { ...files, 'ids.sql': ddlFor(name) } : files;
}

/** The table and one sequence in it; safe to run again. */
function ddlFor(name: string): string {
  const text = `'${name.replaceAll("'", "''")}'`;
  return `${segmentSchema()}\nINSERT INTO "id_segment" (server_name) VALUES (${text}) ON CONFLICT (server_name) DO NOTHING;\n`;
}

async function makeSequence(
  { optionNames, name: strategy }: IdStrategy,
  name: string,
  { cwd, environment }: CommandContext,
): Promise<void> {
  if (!optionNames.includes('database'))
    throw new UsageError(`--apply has nothing to make: ${strategy} needs no database`);
  // Read back, so that a URL in a file that the environment names is found too.
  const { database: url } = (await readConfig({ cwd, environment })).config as Partial<IdsConfig>;
  const database = await openDatabase(url);
  try {
    await ensureSchema(database);
    await createSequence(database, name);
  } finally {
    await database.close();
  }
}

function nextSteps({ optionNames }: IdStrategy, name: string, applied: boolean): string[] {
  return [
    ...(optionNames.includes('database') ? ['set IDS_DATABASE_URL to a postgres:// URL'] : []),
    ...(optionNames.includes('redis') ? ['set IDS_REDIS_URL to a redis:// URL'] : []),
    ...(optionNames.includes('database') && !applied
      ? ['run ids.sql in the database, or: ids init --apply --force']
      : []),
    `then: ids next ${name}`,
  ];
}
