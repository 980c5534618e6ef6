import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancel, isCancel, select } from '@clack/prompts';
import { configJsonSchema, type IdsConfig, readConfig } from '@ids/config';
import { IdError, type IdStrategy } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { segmentSchema, sequenceSql } from '@ids/segment/sql';
import { commonFlags } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit-code.js';
import { neededTables } from '../needed-tables.js';
import { writeJson } from '../output.js';
import { planAll, withStandIns } from '../read-config.js';
import { subcommand } from '../subcommand.js';
import { make } from './apply.js';

const flags = {
  strategy: {
    type: 'string',
    valueHint: 'name',
    description: 'which strategy makes the ids (asked for on a terminal)',
  },
  name: { type: 'string', valueHint: 'name', description: 'the name of the generator (order)' },
  apply: {
    type: 'boolean',
    description: 'also do what apply does, in the database of IDS_DATABASE_URL',
  },
  force: { type: 'boolean', description: 'write over files that exist' },
  ...commonFlags,
} as const;

/** Writes a config, its JSON Schema and, for strategies that need it, the DDL. */
export const initCommand = subcommand(
  'Write a first config, and the DDL it needs',
  flags,
  async (args, context) => {
    const { name = 'order', apply = false, force = false, json } = args;
    const strategy = strategyNamed(args.strategy ?? (await ask(context)), context);
    if (apply) assertApplicable(strategy, context);
    const files = filesFor(strategy, name, context.strategies);
    const other = (await readdir(context.cwd)).find((file) => /^ids\.config\.(?!json$)/.test(file));
    if (other !== undefined)
      throw new UsageError(
        `${other} exists: npx --no ids apply makes what it lacks; remove it to start anew`,
      );
    const taken = Object.keys(files).filter((file) => existsSync(join(context.cwd, file)));
    if (taken.length > 0 && !force) {
      const exist = taken.length === 1 ? 'exists' : 'exist';
      throw new UsageError(
        `${taken.join(', ')} ${exist}: --force writes over them; npx --no ids apply makes what a config lacks`,
      );
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(context.cwd, file), text);
    const read = await readConfig(context);
    const made: string[] = [];
    if (apply) {
      for (const needed of neededTables(planAll(withStandIns(read, ['redis']), [strategy]).values())) {
        for await (const line of make(needed)) made.push(line);
      }
    }
    const next = nextSteps(strategy, name, apply, read.config);
    if (json) writeJson(context.stdout, { files: Object.keys(files), made, next });
    else {
      const lines = [
        ...Object.keys(files).map((file) => `wrote ${file}`),
        ...made.map((line) => `made ${line}`),
        ...next,
      ];
      context.stdout.write(`${lines.join('\n')}\n`);
    }
    return EXIT.ok;
  },
);

/** Before anything is written. */
function assertApplicable({ name, optionNames }: IdStrategy, { environment }: CommandContext): void {
  if (!optionNames.includes('database'))
    throw new UsageError(`--apply has nothing to make: ${name} needs no database`);
  if (!environment.IDS_DATABASE_URL && !environment.IDS_DATABASE_URL_FILE) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      '--apply needs a database: set IDS_DATABASE_URL; nothing was written',
    );
  }
}

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
  { name: strategy, optionNames, example }: IdStrategy,
  name: string,
  strategies: readonly IdStrategy[],
): Record<string, string> {
  const config = {
    $schema: './ids.schema.json',
    generators: { [name]: { strategy, ...example } },
  };
  const files = {
    'ids.config.json': `${JSON.stringify(config, null, 2)}\n`,
    'ids.schema.json': `${JSON.stringify(configJsonSchema(strategies), null, 2)}\n`,
  };
  return optionNames.includes('database') ? { ...files, 'ids.sql': ddlFor(name) } : files;
}

/** The table and one sequence in it; safe to run again. */
function ddlFor(name: string): string {
  return `${segmentSchema()}\n${sequenceSql(name)}`;
}

/** What is left to be done, without what the config or the environment says already. */
function nextSteps(
  { optionNames }: IdStrategy,
  name: string,
  applied: boolean,
  { redis, database }: Partial<IdsConfig>,
): string[] {
  const sql = optionNames.includes('database');
  return [
    ...(sql && database === undefined ? ['set IDS_DATABASE_URL to a postgres:// URL'] : []),
    ...(optionNames.includes('redis') && redis === undefined ? ['set IDS_REDIS_URL to a redis:// URL'] : []),
    ...(sql && !applied
      ? ['make table and sequence: npx --no ids apply, or run ids.sql in the database']
      : []),
    `then: npx --no ids next ${name}`,
  ];
}
