import { IdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { SqlSegmentSource, setFloor } from '@ids/segment/sql';
import { type AddCommand, EXIT, type SequencePlace, wholeNumber } from '../command.js';

import { withFixes } from '../fixes.js';
import { openDatabase, planAll, readAndWarn, sequenceOf, withPlaceholders } from '../generators.js';
import { writeJson } from '../output.js';

const HELD =
  'ids: processes and Redis still issue IDs from the segments they hold, which lie below; if that must not happen, ' +
  'restart the processes, and delete the key of the sequence in Redis\n';

/** Shows how far the sequence of a generator is reserved, or raises it. Never lowers it. */
export const addFloor: AddCommand = (ids, actionOf) =>
  ids
    .command('floor')
    .description('Show how far a sequence is reserved, or raise it')
    .argument('<generator>', 'the name of the generator in the config')
    .argument(
      '[floor]',
      'the ID above which later segments must lie (default: only show the sequence)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(
      actionOf(async (context, name, floor) => {
        const plans = planAll(withPlaceholders(await readAndWarn(context), ['redis']), context.strategies);
        const generator = plans.get(name);
        if (generator === undefined)
          throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
        const place = sequenceOf(generator);
        if (place === undefined) {
          const why = `${generator.strategy} takes its IDs from no sequence in a database`;
          throw new IdError('ERR_IDS_CONFIG', `generators.${name} has no floor: ${why}`);
        }
        const { before, maxId } = await raise(place, floor, name).catch(async (error: unknown) => {
          throw await withFixes(error, generator);
        });
        if (context.json) writeJson(context.stdout, { generator: name, sequence: place.name, before, maxId });
        else {
          const did =
            maxId === before ? `is reserved up to ${maxId}` : `was raised from ${before} to ${maxId}`;
          context.stdout.write(`sequence ${place.name} ${did}\n`);
          if (maxId > before) context.stderr.write(HELD);
        }
        return EXIT.ok;
      }),
    );

/** Raises the sequence to `floor`, or leaves it alone without one. Returns its value before and after. */
async function raise(
  { database: at, table, name: sequence }: SequencePlace,
  floor: number | undefined,
  generator: string,
): Promise<{ readonly before: number; readonly maxId: number }> {
  const options = table === undefined ? {} : { table };
  const database = await openDatabase(at);
  try {
    const { maxId: before } = await new SqlSegmentSource(database, options).describe(sequence);
    if (floor === undefined) return { before, maxId: before };
    if (floor < before) {
      throw new Error(
        `sequence "${sequence}" of generators.${generator} is reserved up to ${before} and can only be raised: the floor must be ${before} or more, got ${floor}`,
      );
    }
    return { before, maxId: (await setFloor(database, sequence, floor, options)).maxId };
  } finally {
    await database.close();
  }
}
