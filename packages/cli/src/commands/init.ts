import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { configJsonSchema, type IdsConfig, readConfig } from '@ids/config';
import { IdError, type IdStrategy } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import type { DialectName } from '@ids/store';
import { assertSqliteDriver } from '@ids/store/sqlite/file';
import { neededTables, planAll, withPlaceholders } from '../tables/generators.js';
import { type AddCommand, type CommandContext, EXIT } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';
import { askDatabase, askStrategy } from '../terminal/questions.js';
import { createMissing } from './apply.js';
import { DATABASES, type FirstDatabase, firstDatabase } from './init-database.js';

/** Writes a config, its JSON Schema and, for strategies that need it, the DDL. */
export const addInit: AddCommand = (ids, actionOf) =>
  ids
    .command('init')
    .description('Write a first config and the DDL it needs')
    .option('--strategy <name>', 'the strategy that issues the IDs (default: asks on a terminal)')
    .option('--name <name>', 'the name of the generator', 'order')
    .option(
      '--database <kind>',
      `where the table is: ${DATABASES.join(', ')} (default: that of IDS_DATABASE_URL, or sqlite:ids.db)`,
    )
    .option('--apply', 'also run "apply" on the database')
    .option('--force', 'overwrite existing files')
    .action(
      actionOf(async (context, { strategy: wanted, database: kind, name, apply = false, force }) => {
        const strategy = strategyNamed(wanted ?? (await ask(context)), context);
        const asked = wanted === undefined ? () => askDatabase(TERMINAL) : undefined;
        const database = await firstDatabase(strategy, kind ?? asked, context);
        if (apply) await assertApplicable(strategy, database);
        const files = filesFor(strategy, name, database, context);
        const other = (await readdir(context.cwd)).find((file) => /^ids\.config\.(?!json$)/.test(file));
        if (other !== undefined)
          throw new InvalidArgumentError(
            `${other} exists: create what it needs with npx --no -- ids apply, or remove it to start again`,
          );
        const taken = Object.keys(files).filter((file) => existsSync(join(context.cwd, file)));
        if (taken.length > 0 && !force) {
          const exist = taken.length === 1 ? 'exists' : 'exist';
          throw new InvalidArgumentError(
            `${taken.join(', ')} ${exist}: overwrite with --force, or create what the config needs with npx --no -- ids apply`,
          );
        }
        for (const [file, text] of Object.entries(files)) await writeFile(join(context.cwd, file), text);
        const read = await readConfig(context);
        const made: string[] = [];
        if (apply) {
          const plans = planAll(withPlaceholders(read, ['redis']), [strategy]);
          for (const needed of neededTables([...plans.values()])) {
            for await (const { creates } of createMissing(needed)) made.push(...creates);
          }
        }
        const next = nextSteps(strategy, name, database, apply, read.config);
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
async function assertApplicable({ name }: IdStrategy, database: FirstDatabase | undefined): Promise<void> {
  if (database === undefined)
    throw new InvalidArgumentError(`--apply has nothing to create: ${name} needs no database`);
  if (database.url !== undefined) await assertSqliteDriver();
  else if (!database.isSet) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      '--apply needs a database: set IDS_DATABASE_URL; nothing was written',
    );
  }
}

const TERMINAL = { input: process.stdin, output: process.stdout };

async function ask({ strategies, stdout }: CommandContext): Promise<string> {
  const names = strategies.map((strategy) => strategy.name);
  if (stdout.isTTY !== true || process.stdin.isTTY !== true) {
    throw new InvalidArgumentError(`--strategy is required without a terminal (${names.join(', ')})`);
  }
  return askStrategy(strategies, TERMINAL);
}

function strategyNamed(name: string, { strategies }: CommandContext): IdStrategy {
  const strategy = strategies.find((candidate) => candidate.name === name);
  if (strategy !== undefined) return strategy;
  throw new InvalidArgumentError(
    unknownNameMessage(
      'strategy',
      name,
      strategies.map((known) => known.name),
    ),
  );
}

function filesFor(
  { name: strategy, example }: IdStrategy,
  name: string,
  database: FirstDatabase | undefined,
  { strategies }: CommandContext,
): Record<string, string> {
  const config = {
    $schema: './ids.schema.json',
    ...(database?.url !== undefined && { database: database.url }),
    generators: { [name]: { strategy, ...example } },
  };
  const files = {
    'ids.config.json': `${JSON.stringify(config, null, 2)}\n`,
    'ids.schema.json': `${JSON.stringify(configJsonSchema(strategies), null, 2)}\n`,
  };
  const sql = database && ddlFor(config.generators, strategies, database.dialect);
  return sql === undefined ? files : { ...files, 'ids.sql': sql };
}

/** What the generator keeps in its database; safe to run again. Undefined if it keeps nothing. */
function ddlFor(
  generators: IdsConfig['generators'],
  strategies: readonly IdStrategy[],
  dialect: DialectName,
): string | undefined {
  const read = withPlaceholders({ config: { generators }, problems: [] }, ['redis', 'database']);
  const texts = [...planAll(read, strategies).values()].flatMap(({ store }) =>
    store === undefined ? [] : [`${store.schema({ dialect })}\n${store.createSql({ dialect })}`],
  );
  return texts[0];
}

/** What is left to do, without what the config or the environment already provides. */
function nextSteps(
  { optionNames }: IdStrategy,
  name: string,
  database: FirstDatabase | undefined,
  applied: boolean,
  { redis }: Partial<IdsConfig>,
): string[] {
  const { dialect, url, isSet = true } = database ?? {};
  return [
    ...(url === undefined
      ? []
      : [
          `${url} is for the processes of one machine; for several, use a server: --database postgres or mysql`,
        ]),
    ...(url === undefined && !isSet ? [`set IDS_DATABASE_URL to a ${dialect}:// URL`] : []),
    ...(optionNames.includes('redis') && redis === undefined ? ['set IDS_REDIS_URL to a redis:// URL'] : []),
    ...(database !== undefined && !applied
      ? ['create the table and the sequence: npx --no -- ids apply, or run ids.sql in the database']
      : []),
    `then: npx --no -- ids next ${name}`,
  ];
}
