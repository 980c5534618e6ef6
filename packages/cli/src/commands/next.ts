import { Option } from '@commander-js/extra-typings';
import { type ConfiguredGenerator, openGenerator } from '@ids/config';
import { type Id, IdError, MAX_BATCH } from '@ids/core';
import type { AlphabetName, FormName } from '@ids/encode';
import { withFixes } from '../tables/fixes.js';
import { type AddCommand, EXIT, wholeNumber } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';
import { planNamed } from './next-strategy.js';

const ALPHABETS = ['decimal', 'hex', 'base62', 'crockford'] as const satisfies readonly AlphabetName[];
const FORMS = ['typeid', 'ulid'] as const satisfies readonly FormName[];

/** Issues ids, one per line. They are real: they are taken from the sequence. */
export const addNext: AddCommand = (ids, actionOf) =>
  ids
    .command('next')
    .description('Issue IDs, one per line')
    .argument(
      '<generator>',
      'the name of the generator in the config; if it has none of this name, a strategy that needs no server',
    )
    .option('-n, --count <n>', `how many, 1 to ${MAX_BATCH}`, wholeNumber(1, MAX_BATCH), 1)
    .option('--key <key>', 'of a keyed generator: the key whose IDs are issued')
    .addOption(new Option('--as <alphabet>', 'of a strategy: the alphabet of its IDs').choices(ALPHABETS))
    .addOption(new Option('--form <form>', 'of a strategy that issues UUIDs').choices(FORMS))
    .option('--prefix <prefix>', 'of a strategy: precedes each ID; with typeid its type, such as order')
    .action(
      actionOf(async (context, name, { count, key, as, form, prefix }) => {
        const plan = await planNamed(name, { as, form, prefix }, context);
        const issued = await draw(plan, count, key).catch(async (error: unknown) => {
          throw await withFixes(error, plan);
        });
        if (context.json) writeJson(context.stdout, issued);
        else context.stdout.write(`${issued.join('\n')}\n`);
        return EXIT.ok;
      }),
    );

async function draw(plan: ConfiguredGenerator, count: number, key: string | undefined): Promise<Id[]> {
  const { name } = plan;
  const byKey = plan.guarantees.within === 'key';
  if (!byKey && key !== undefined)
    throw new IdError('ERR_IDS_UNMET', `generators.${name} issues IDs of one sequence: leave --key out`);
  if (byKey && key === undefined) {
    const example = `npx --no -- ids next ${name} --key <key>`;
    throw new IdError('ERR_IDS_UNMET', `generators.${name} issues IDs by key, so name one: ${example}`);
  }
  const { generator, keyed } = await openGenerator(plan);
  await using _closed = generator;
  return keyed ? await generator.nextBatch(String(key), count) : await generator.nextBatch(count);
}
