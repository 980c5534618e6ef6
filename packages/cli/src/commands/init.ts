import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configJsonSchema, type IdsConfig, readConfig } from '@ids/config';
import { IdError, type IdStrategy } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { segmentSchema, sequenceSql } from '@ids/segment/sql';
import { slotSchema, slotsSql } from '@ids/snowflake/sql';
import { askStrategy } from '../ask-strategy.js';
import { type AddCommand, type CommandContext, EXIT, UsageError } from '../command.js';

import { dialectOfUrl, neededTables, planAll, withPlaceholders } from '../generators.js';
import { writeJson } from '../output.js';

import { createMissing } from './apply.js';

/** Writes a config, its JSON Schema and, for strategies that need it, the DDL. */
export const addInit: AddCommand = (ids, actionOf) =>
  ids
    .command('init')
    .description('Write a first config and the DDL it needs')
    .option('--strategy <name>', 'the strategy that issues the IDs (default: asks on a terminal)')
    .option('--name <name>', 'the name of the generator', 'order')
    .option('--apply', 'also run "apply" on the database in IDS_DATABASE_URL')
    .option('--force', 'overwrite existing files')
    .action(
      actionOf(async (context, { strategy: wanted, name, apply = false, force }) => {
        const strategy = strategyNamed(wanted ?? (await ask(context)), context);
        if (apply) assertApplicable(strategy, context);
        const files = filesFor(strategy, name, context);
        const other = (await readdir(context.cwd)).find((file) => /^ids\.config\.(?!json$)/.test(file));
        if (other !== undefined)
          throw new UsageError(
            `${other} exists: create what it needs with npx --no -- ids apply, or remove it to start again`,
          );
        const taken = Object.keys(files).filter((file) => existsSync(join(context.cwd, file)));
        if (taken.length > 0 && !force) {
          const exist = taken.length === 1 ? 'exists' : 'exist';
          throw new UsageError(
            `${taken.join(', ')} ${exist}: overwrite with --force, or create what the config needs with npx --no -- ids apply`,
          );
        }
        for (const [file, text] of Object.entries(files)) await writeFile(join(context.cwd, file), text);
        const read = await readConfig(context);
        const made: string[] = [];
        if (apply) {
          for (const needed of neededTables(
            planAll(withPlaceholders(read, ['redis']), [strategy]).values(),
          )) {
            for await (const line of createMissing(needed)) made.push(line);
          }
        }
        const next = nextSteps(strategy, name, apply, read.config);
        if (context.json) writeJson(context.stdout, { files: Object.keys(files), made, next });
        else {
          const lines = [
            ...Object.keys(files).map((file) => `wrote ${file}`),
            ...made.map((line) => `created ${line}`),
            ...next,
          ];
          context.stdout.write(`${lines.join('\n')}\n`);
        }
        return EXIT.ok;
      }),
    );

/** Runs before anything is written. */
function assertApplicable({ name, optionNames }: IdStrategy, { environment }: CommandContext): void {
  if (!optionNames.includes('database'))
    throw new UsageError(`--apply has nothing to create: ${name} needs no database`);
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
    throw new UsageError(`--strategy is required without a terminal (${names.join(', ')})`);
  }
  return askStrategy(strategies, { input: process.stdin, output: process.stdout });
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
  { strategies, environment }: CommandContext,
): Record<string, string> {
  const config = {
    $schema: './ids.schema.json',
    generators: { [name]: { strategy, ...example } },
  };
  const files = {
    'ids.config.json': `${JSON.stringify(config, null, 2)}\n`,
    'ids.schema.json': `${JSON.stringify(configJsonSchema(strategies), null, 2)}\n`,
  };
  return optionNames.includes('database')
    ? { ...files, 'ids.sql': ddlFor(strategy, name, environment.IDS_DATABASE_URL) }
    : files;
}

/** The table with one sequence, or the slots of one name; safe to run again. For the database at `url`. */
function ddlFor(strategy: string, name: string, url: string | undefined): string {
  if (strategy === 'snowflake') return `${slotSchema()}\n${slotsSql(name)}`;
  const dialect = dialectOfUrl(url);
  return `${segmentSchema(undefined, { dialect })}\n${sequenceSql(name, { dialect })}`;
}

/** What is left to do, without what the config or the environment already provides. */
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
      ? ['create the table and the sequence: npx --no -- ids apply, or run ids.sql in the database']
      : []),
    `then: npx --no -- ids next ${name}`,
  ];
}
