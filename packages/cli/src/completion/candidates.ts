import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type IdsConfig, readConfig } from '@ids/config';
import { explanations } from '../commands/explain.js';
import { DATABASES } from '../commands/init-database.js';
import { namesWithoutServer } from '../commands/next-strategy.js';
import type { CommandContext } from '../terminal/command.js';
import { optionsOf, readLine, type TypedLine } from './line.js';
import type { Candidate } from './scripts.js';

/** The names in a config, those of strategies and databases, and the codes of errors. */
interface Names {
  readonly generators: readonly Candidate[];
  readonly series: readonly Candidate[];
  readonly strategies: readonly Candidate[];
  readonly serverless: readonly Candidate[];
  readonly databases: readonly Candidate[];
  readonly codes: readonly Candidate[];
}

/** What arguments and options name, if they have no fixed choices. */
const NAMED: Readonly<Record<string, readonly (keyof Names)[]>> = {
  'next generator': ['generators', 'serverless'],
  'inspect id': ['generators'],
  'floor generator': ['generators', 'series'],
  'migrate generator': ['generators'],
  'gaps series': ['series'],
  'explain code': ['codes'],
  'init --strategy': ['strategies'],
  'init --database': ['databases'],
  'swap --from': ['generators', 'strategies'],
  'swap --to': ['generators', 'strategies'],
  'swap --generator': ['generators'],
};

/**
 * What would fit as the last of `typed`, the words after `ids`. Reads the config of the folder, or of that of
 * `--cwd`; one that cannot be read has no names.
 */
export async function candidatesFor(
  ids: CommandUnknownOpts,
  typed: readonly string[],
  context: CommandContext,
): Promise<readonly Candidate[]> {
  const line = readLine(ids, typed);
  const words = new Set<string>();
  // Of a generator that is called like a strategy, the generator.
  return (await fitting(ids, line, context)).filter(({ word }) => {
    const isNew = word.startsWith(line.start) && !words.has(word);
    words.add(word);
    return isNew;
  });
}

async function fitting(
  ids: CommandUnknownOpts,
  { command, cwd, place }: TypedLine,
  context: CommandContext,
): Promise<readonly Candidate[]> {
  if (place === undefined) return [];
  if (place === 'option')
    return optionsOf(command, ids).map(({ long, description }) => ({ word: long ?? '', note: description }));
  if (place === 'command' || command.name() === 'help')
    return ids.commands.map((one) => ({ word: one.name(), note: one.description() }));
  if (place.argChoices !== undefined) return place.argChoices.map((word) => ({ word }));
  const kinds = NAMED[`${command.name()} ${place instanceof Argument ? place.name() : place.long}`];
  if (kinds === undefined) return [];
  const names = await namesFor({ ...context, cwd: cwd ?? context.cwd });
  return kinds.flatMap((kind) => names[kind]);
}

async function namesFor({ cwd, environment, strategies }: CommandContext): Promise<Names> {
  const { config } = await readConfig({ cwd, environment }).catch(() => ({ config: {} }));
  const { generators, series } = config as Partial<IdsConfig>;
  const noted = (words: readonly string[], note: string): Candidate[] =>
    words.map((word) => ({ word, note }));
  return {
    generators: noted(Object.keys(Object(generators)), 'generator'),
    series: noted(Object.keys(Object(series)), 'series'),
    strategies: noted(
      strategies.map(({ name }) => name),
      'strategy',
    ),
    serverless: noted(namesWithoutServer(strategies), 'strategy without a server'),
    databases: noted(DATABASES, 'database'),
    codes: (await explanations()).map(({ code, when }) => ({ word: code, note: when })),
  };
}
