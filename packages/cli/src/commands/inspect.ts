import type { ConfiguredGenerator } from '@ids/config';
import { IdError, type IdPart, type IdStrategy, isIdError } from '@ids/core';
import { formProblem, inspectTypeid, inspectUlid, pastedForms } from '@ids/encode';
import { openExisting } from '../tables/existing.js';
import { planAll, readAndWarn } from '../tables/generators.js';
import { type AddCommand, type CommandContext, EXIT } from '../terminal/command.js';
import { writeJson, writeTable } from '../terminal/output.js';
import { partsOfKey } from './inspect-key.js';

/** One interpretation of a string: as an id of a strategy, or in a form that others write too. */
interface Reading {
  readonly strategy?: string;
  readonly form?: 'typeid' | 'ulid';
  /** The generator of the config that may have issued it. */
  readonly generator?: string;
  /** The id that the string encodes. */
  readonly id?: string;
  readonly parts: readonly IdPart[];
}

/** Shows what an id contains, for every strategy that could have issued it, and as a TypeID or a ULID. */
export const addInspect: AddCommand = (ids, actionOf) =>
  ids
    .command('inspect')
    .description('Show what an ID contains: time, machine, process')
    .argument('<id>', 'the ID, as it was issued; with --key also a keyed generator, to show where the key is')
    .option('--key <key>', 'of a keyed generator: the key whose ID it is, to show who reserved it')
    .action(
      actionOf(async (context, id, { key }) => {
        const generators = await configured(context);
        if (key !== undefined && !generators.some(({ store }) => store?.keys !== undefined))
          throw new IdError('ERR_IDS_UNMET', 'no generator here issues IDs by key: leave --key out');
        const named = key === undefined ? undefined : generators.find(({ name }) => name === id);
        if (key !== undefined && named !== undefined) {
          const { parts, complete } = await partsOfKey(context, named, key);
          const reading = { strategy: named.strategy, generator: named.name, parts };
          if (context.json) writeJson(context.stdout, { text: id, readings: [reading] });
          else show(reading, context);
          return complete ? EXIT.ok : EXIT.failed;
        }
        let [form, readings]: [string, readonly Reading[]] = [id, []];
        for (form of pastedForms(id)) {
          readings = await readingsOf(form, generators, context, key);
          if (readings.length > 0) break;
        }
        const isOther = readings.length > 0 && form !== id;
        if (isOther && !context.json) context.stderr.write(`ids: read as ${form}\n`);
        if (context.json) writeJson(context.stdout, { text: id, ...(isOther && { readAs: form }), readings });
        else for (const reading of readings) show(reading, context);
        if (readings.length > 0) return EXIT.ok;
        context.stderr.write(`ids: no strategy here issues IDs like "${id}"\n`);
        const problem = formProblem(id);
        if (problem !== undefined) context.stderr.write(`ids: ${problem}\n`);
        return EXIT.failed;
      }),
    );

async function readingsOf(
  id: string,
  generators: readonly ConfiguredGenerator[],
  context: CommandContext,
  key: string | undefined,
): Promise<readonly Reading[]> {
  const issued = (
    await Promise.all(generators.map((generator) => readByGenerator(id, generator, context, key)))
  ).flat();
  const isConfigured = ({ name }: IdStrategy): boolean =>
    generators.some(({ strategy, codec }) => strategy === name && codec === undefined);
  return [
    ...issued,
    ...context.strategies
      .filter((strategy) => !isConfigured(strategy))
      .flatMap((strategy) => readByStrategy(id, strategy)),
    ...readByForm(id).filter(({ parts }) => !issued.some((reading) => hasUuid(parts, reading.id))),
  ];
}

/** Without a valid config, strings can still be read: a note says what is wrong. */
async function configured(context: CommandContext): Promise<ConfiguredGenerator[]> {
  try {
    return [...planAll(await readAndWarn(context), context.strategies).values()];
  } catch (error) {
    context.stderr.write(
      `ids: read without a config: ${(error as Error).message.split('\n').join('\nids: ')}\n`,
    );
    return [];
  }
}

async function readByGenerator(
  text: string,
  generator: ConfiguredGenerator,
  context: CommandContext,
  key: string | undefined,
): Promise<Reading[]> {
  const { name, codec } = generator;
  const inner = codec === undefined ? text : decoded(text, codec);
  const strategy = context.strategies.find((candidate) => candidate.name === generator.strategy);
  if (inner === undefined || strategy === undefined) return [];
  const pattern = codec === undefined ? generator.guarantees.text.pattern : undefined;
  const parts = partsOf(inner, strategy, pattern, generator.options);
  if (parts === undefined) return [];
  const issued = await issuer(generator, inner, context, key);
  const id = codec === undefined ? {} : { id: inner };
  return [{ strategy: strategy.name, generator: name, ...id, parts: [...parts, ...issued] }];
}

function readByStrategy(text: string, strategy: IdStrategy): Reading[] {
  const parts = strategy.inspect?.(text);
  return parts === undefined ? [] : [{ strategy: strategy.name, parts }];
}

function readByForm(text: string): Reading[] {
  const typeid = inspectTypeid(text);
  const ulid = inspectUlid(text);
  return [
    ...(typeid === undefined ? [] : [{ form: 'typeid' as const, parts: typeid }]),
    ...(ulid === undefined ? [] : [{ form: 'ulid' as const, parts: ulid }]),
  ];
}

/** Whether a generator of the config read the same UUID, and more of it. */
function hasUuid(parts: readonly IdPart[], id: string | undefined): boolean {
  return parts.some(({ name, value }) => name === 'uuid' && value === id);
}

/** For a strategy without `inspect`, the pattern decides whether it could have issued the string. */
function partsOf(
  text: string,
  strategy: IdStrategy,
  pattern: RegExp | undefined,
  options: Readonly<Record<string, unknown>>,
): readonly IdPart[] | undefined {
  if (strategy.inspect !== undefined) return strategy.inspect(text, options);
  return pattern === undefined || pattern.test(text) ? [] : undefined;
}

function decoded(text: string, { decode }: NonNullable<ConfiguredGenerator['codec']>): string | undefined {
  try {
    return String(decode(text));
  } catch {
    return undefined;
  }
}

/** Who reserved an id, and when, according to the grant log of its table; empty without a log. */
async function issuer(
  { name, store }: ConfiguredGenerator,
  id: string,
  { stderr }: CommandContext,
  key: string | undefined,
): Promise<readonly IdPart[]> {
  const keys = key === undefined ? undefined : store?.keys;
  if (store === undefined || (store.whoIssued === undefined && keys === undefined)) return [];
  try {
    await using database = await openExisting(store.database);
    const noLog = (error: unknown): readonly IdPart[] => {
      if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return [];
      throw error;
    };
    const found =
      keys && key !== undefined ? keys.whoIssued(database, key, id) : store.whoIssued?.(database, id);
    return (await found?.catch(noLog)) ?? [];
  } catch (error) {
    // What the id itself contains can be shown without the database.
    stderr.write(`ids: generators.${name}: cannot tell who issued it: ${(error as Error).message}\n`);
    return [];
  }
}

function show({ strategy, form, generator, id, parts }: Reading, { stdout }: CommandContext): void {
  const facts: IdPart[] = [
    ...(strategy === undefined ? [] : [{ name: 'strategy', value: strategy }]),
    ...(form === undefined ? [] : [{ name: 'form', value: form }]),
    ...(generator === undefined ? [] : [{ name: 'generator', value: generator }]),
    ...(id === undefined ? [] : [{ name: 'id', value: id }]),
    ...parts,
  ];
  const rows = facts.map(({ name, value, note = '' }) => ({ cells: [name, value, note] }));
  writeTable(stdout, ['part', 'value', ''], rows);
}
