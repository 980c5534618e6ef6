import type { ConfiguredGenerator } from '@ids/config';
import type { IdPart, IdStrategy } from '@ids/core';
import { commonFlags } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-code.js';
import { writeJson, writeTable } from '../output.js';
import { planAll, readNoted } from '../read-config.js';
import { sequenceOf } from '../sequence-place.js';
import { subcommand } from '../subcommand.js';

const flags = {
  id: { type: 'positional', required: true, description: 'as it was given' },
  ...commonFlags,
} as const;

/** One way to read a text. */
interface Reading {
  readonly strategy: string;
  /** The generator of the config that may have given it. */
  readonly generator?: string;
  /** The id behind an encoded text. */
  readonly id?: string;
  readonly parts: readonly IdPart[];
}

/** Says what the text of an id tells, by every strategy that could have given it. */
export const inspectCommand = subcommand(
  'Say what an id tells: time, machine, process',
  flags,
  async ({ id, json }, context) => {
    const generators = await configured(context);
    const readings = [
      ...(await Promise.all(generators.map((generator) => readByGenerator(id, generator, context)))).flat(),
      ...context.strategies
        .filter(
          ({ name }) => !generators.some(({ strategy, codec }) => strategy === name && codec === undefined),
        )
        .flatMap((strategy) => readByStrategy(id, strategy)),
    ];
    if (json) writeJson(context.stdout, { text: id, readings });
    else for (const reading of readings) show(reading, context);
    if (readings.length > 0) return EXIT.ok;
    context.stderr.write(`ids: no strategy here gives ids like "${id}"\n`);
    return EXIT.failed;
  },
);

/** Without a config, or with a wrong one, texts can still be read: a note says what is missing. */
async function configured(context: CommandContext): Promise<ConfiguredGenerator[]> {
  try {
    return [...planAll(await readNoted(context), context.strategies).values()];
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
): Promise<Reading[]> {
  const { name, codec } = generator;
  const inner = codec === undefined ? text : decoded(text, codec);
  const strategy = context.strategies.find((candidate) => candidate.name === generator.strategy);
  if (inner === undefined || strategy === undefined) return [];
  const pattern = codec === undefined ? generator.guarantees.text.pattern : undefined;
  const parts = partsOf(inner, strategy, pattern);
  if (parts === undefined) return [];
  const issued = await issuer(generator, inner, context);
  const id = codec === undefined ? {} : { id: inner };
  return [{ strategy: strategy.name, generator: name, ...id, parts: [...parts, ...issued] }];
}

function readByStrategy(text: string, strategy: IdStrategy): Reading[] {
  const parts = strategy.inspect?.(text);
  return parts === undefined ? [] : [{ strategy: strategy.name, parts }];
}

/** A strategy that reads no texts can still say, by its pattern, whether it gave one. */
function partsOf(
  text: string,
  strategy: IdStrategy,
  pattern: RegExp | undefined,
): readonly IdPart[] | undefined {
  if (strategy.inspect !== undefined) return strategy.inspect(text);
  return pattern === undefined || pattern.test(text) ? [] : undefined;
}

function decoded(text: string, { decode }: NonNullable<ConfiguredGenerator['codec']>): string | undefined {
  try {
    return String(decode(text));
  } catch {
    return undefined;
  }
}

async function issuer(
  generator: ConfiguredGenerator,
  id: string,
  { whoIssued }: CommandContext,
): Promise<readonly IdPart[]> {
  const place = sequenceOf(generator);
  if (whoIssued === undefined || place === undefined) return [];
  return whoIssued(place, Number(id));
}

function show({ strategy, generator, id, parts }: Reading, { stdout }: CommandContext): void {
  const facts: IdPart[] = [
    { name: 'strategy', value: strategy },
    ...(generator === undefined ? [] : [{ name: 'generator', value: generator }]),
    ...(id === undefined ? [] : [{ name: 'id', value: id }]),
    ...parts,
  ];
  const rows = facts.map(({ name, value, note = '' }) => ({ cells: [name, value, note] }));
  writeTable(stdout, ['part', 'value', ''], rows);
}
