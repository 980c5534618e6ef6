import { IdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import { SqlSegmentSource, setFloor } from '@ids/segment/sql';
import { commonFlags, wholeNumber } from '../arguments.js';
import type { SequencePlace } from '../context.js';
import { EXIT } from '../exit-code.js';
import { withMends } from '../mend.js';
import { writeJson } from '../output.js';
import { planAll, readNoted, withStandIns } from '../read-config.js';
import { openDatabase, sequenceOf } from '../sequence-place.js';
import { subcommand } from '../subcommand.js';

const flags = {
  generator: { type: 'positional', required: true, description: 'its name in the config' },
  floor: {
    type: 'positional',
    required: false,
    description: 'the id above which later segments shall lie; without it the sequence is only looked at',
  },
  ...commonFlags,
} as const;

const HELD =
  'ids: segments that processes or Redis hold already lie below, and are still given: where that must not be, ' +
  'restart the processes, and delete the key of the sequence in Redis\n';

/** Says how far the sequence of a generator is reserved, and raises it. It is never lowered. */
export const floorCommand = subcommand(
  'Say where a sequence stands, or raise it',
  flags,
  async ({ generator: name, floor, json }, context) => {
    const wanted = floor === undefined ? undefined : wholeNumber('floor', floor, 0, Number.MAX_SAFE_INTEGER);
    const plans = planAll(withStandIns(await readNoted(context), ['redis']), context.strategies);
    const generator = plans.get(name);
    if (generator === undefined)
      throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
    const place = sequenceOf(generator);
    if (place === undefined) {
      const why = `${generator.strategy} takes its ids from no sequence of a database`;
      throw new IdError('ERR_IDS_CONFIG', `generators.${name} has no floor: ${why}`);
    }
    const { before, maxId } = await raise(place, wanted, name).catch(async (error: unknown) => {
      throw await withMends(error, generator);
    });
    if (json) writeJson(context.stdout, { generator: name, sequence: place.name, before, maxId });
    else {
      const did = maxId === before ? `stands at ${maxId}` : `was raised from ${before} to ${maxId}`;
      context.stdout.write(`sequence ${place.name} ${did}\n`);
      if (maxId > before) context.stderr.write(HELD);
    }
    return EXIT.ok;
  },
);

/** Raises the sequence to `floor`, or leaves it alone without one, and says where it stood and stands. */
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
        `sequence "${sequence}" of generators.${generator} stands at ${before}, and a floor only rises: give ${before} or more, got ${floor}`,
      );
    }
    return { before, maxId: (await setFloor(database, sequence, floor, options)).maxId };
  } finally {
    await database.close();
  }
}
