import type { ConfiguredGenerator } from '@ids/config';
import { type Id, IdError, MAX_BATCH } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { commonFlags, wholeNumber } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { withMends } from '../mend.js';
import { writeJson } from '../output.js';
import { planAll, readNoted } from '../read-config.js';
import { subcommand } from '../subcommand.js';

const flags = {
  generator: { type: 'positional', required: true, description: 'its name in the config' },
  count: { type: 'string', alias: 'n', valueHint: 'n', description: `how many, 1 to ${MAX_BATCH} (1)` },
  ...commonFlags,
} as const;

/** Gives ids, one a line. They are real ones, taken from the sequence. */
export const nextCommand = subcommand(
  'Give ids, one a line',
  flags,
  async ({ generator: name, count = '1', json }, context) => {
    const wanted = wholeNumber('--count', count, 1, MAX_BATCH);
    const plans = planAll(await readNoted(context), context.strategies);
    const plan = plans.get(name);
    if (plan === undefined) {
      throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
    }
    const ids = await draw(plan, wanted).catch(async (error: unknown) => {
      throw await withMends(error, plan);
    });
    if (json) writeJson(context.stdout, ids);
    else context.stdout.write(`${ids.join('\n')}\n`);
    return EXIT.ok;
  },
);

async function draw(plan: ConfiguredGenerator, count: number): Promise<Id[]> {
  await using generator = await plan.create();
  return await generator.nextBatch(count);
}
