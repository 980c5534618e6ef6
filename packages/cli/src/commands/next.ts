import type { ConfiguredGenerator } from '@ids/config';
import { type Id, IdError, MAX_BATCH } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { type AddCommand, EXIT, wholeNumber } from '../command.js';

import { withFixes } from '../fixes.js';
import { planAll, readAndWarn } from '../generators.js';
import { writeJson } from '../output.js';

/** Issues ids, one per line. They are real: they are taken from the sequence. */
export const addNext: AddCommand = (ids, actionOf) =>
  ids
    .command('next')
    .description('Issue IDs, one per line')
    .argument('<generator>', 'the name of the generator in the config')
    .option('-n, --count <n>', `how many, 1 to ${MAX_BATCH}`, wholeNumber(1, MAX_BATCH), 1)
    .action(
      actionOf(async (context, name, { count }) => {
        const plans = planAll(await readAndWarn(context), context.strategies);
        const plan = plans.get(name);
        if (plan === undefined) {
          throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
        }
        const issued = await draw(plan, count).catch(async (error: unknown) => {
          throw await withFixes(error, plan);
        });
        if (context.json) writeJson(context.stdout, issued);
        else context.stdout.write(`${issued.join('\n')}\n`);
        return EXIT.ok;
      }),
    );

async function draw(plan: ConfiguredGenerator, count: number): Promise<Id[]> {
  await using generator = await plan.create();
  return await generator.nextBatch(count);
}
