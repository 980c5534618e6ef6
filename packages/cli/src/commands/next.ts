import type { ConfiguredGenerator } from '@ids/config';
import { type Id, IdError, MAX_BATCH } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { commonFlags, EXIT, parseWholeNumber, subcommand } from '../command.js';

import { withFixes } from '../fixes.js';
import { planAll, readAndWarn } from '../generators.js';
import { writeJson } from '../output.js';

const flags = {
  generator: { type: 'positional', required: true, description: 'the name of the generator in the config' },
  count: {
    type: 'string',
    alias: 'n',
    valueHint: 'n',
    description: `how many, 1 to ${MAX_BATCH} (default: 1)`,
  },
  ...commonFlags,
} as const;

/** Issues ids, one per line. They are real: they are taken from the sequence. */
export const nextCommand = subcommand(
  'Issue IDs, one per line',
  flags,
  async ({ generator: name, count = '1', json }, context) => {
    const wanted = parseWholeNumber('--count', count, 1, MAX_BATCH);
    const plans = planAll(await readAndWarn(context), context.strategies);
    const plan = plans.get(name);
    if (plan === undefined) {
      throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
    }
    const ids = await draw(plan, wanted).catch(async (error: unknown) => {
      throw await withFixes(error, plan);
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
