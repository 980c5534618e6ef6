import type { ConfiguredGenerator } from '@ids/config';
import { IdError } from '@ids/core';
import { unknownName } from '@ids/core/strategy';
import type { SequenceState } from '@ids/segment';
import { SqlSegmentSource, setFloor } from '@ids/segment/sql';
import { CHANGE_TEXT } from '@ids/segment/table';
import { type AddCommand, type CommandContext, EXIT, UsageError, wholeNumber } from '../command.js';

import { withFixes } from '../fixes.js';
import { neededBy, openDatabase, planAll, readAndWarn, sequenceOf, withPlaceholders } from '../generators.js';
import { aboveOf, type IssuedIds, issuedIds, repeatsText } from '../issued.js';
import { afterLoss } from '../lost-reservations.js';
import { writeJson } from '../output.js';

const HELD =
  'ids: processes and Redis still issue IDs from the segments they hold, which lie below; if that must not happen, ' +
  'restart the processes, and delete the key of the sequence in Redis\n';

interface FloorRequest {
  readonly floor: number | undefined;
  readonly checked: boolean;
  readonly force: boolean;
}

interface Raised {
  readonly sequence: string;
  readonly before: number;
  readonly maxId: number;
  /** What the next reservation still skips ids for. */
  readonly pending: SequenceState['pending'];
  readonly known: IssuedIds;
}

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
    .option(
      '--checked',
      'no higher ID was ever issued: skip nothing more after a restore or a failover, and end a refusal',
    )
    .option('--force', 'accept a floor below IDs that are known, so that they are issued again')
    .action(
      actionOf(async (context, name, floor, { checked = false, force = false }) => {
        if (floor === undefined && (checked || force)) {
          throw new UsageError(
            `${checked ? '--checked' : '--force'} needs a floor: npx --no -- ids floor ${name} <ID>`,
          );
        }
        const plans = planAll(withPlaceholders(await readAndWarn(context), ['redis']), context.strategies);
        const generator = plans.get(name);
        if (generator === undefined)
          throw new IdError('ERR_IDS_CONFIG', unknownName('generator', name, [...plans.keys()]));
        if (sequenceOf(generator) === undefined) {
          const why = `${generator.strategy} takes its IDs from no sequence in a database`;
          throw new IdError('ERR_IDS_CONFIG', `generators.${name} has no floor: ${why}`);
        }
        const raised = await raise(generator, [...plans.values()], { floor, checked, force }).catch(
          async (error: unknown) => {
            throw await withFixes(error, generator);
          },
        );
        const { sequence, before, maxId, pending } = raised;
        if (context.json) {
          writeJson(context.stdout, {
            generator: name,
            sequence,
            before,
            maxId,
            ...(pending && { pending }),
          });
        } else {
          const did =
            maxId === before ? `is reserved up to ${maxId}` : `was raised from ${before} to ${maxId}`;
          context.stdout.write(`sequence ${sequence} ${did}\n`);
          note(raised, generator, context);
        }
        return EXIT.ok;
      }),
    );

/** Raises the sequence to `floor`, or leaves it alone without one. */
async function raise(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
  { floor, checked, force }: FloorRequest,
): Promise<Raised> {
  const needed = neededBy(generator, all);
  const found = needed?.sequences[0];
  if (needed === undefined || found === undefined) throw new TypeError('unreachable: it has a sequence');
  const { table } = needed;
  const sequence = found.name;
  const database = await openDatabase(needed.database);
  try {
    const source = new SqlSegmentSource(database, { ...generator.options, table });
    const { maxId: before, pending } = await source.describe(sequence);
    const known = await issuedIds(database, needed, found);
    if (floor === undefined) return { sequence, before, maxId: before, pending, known };
    if (floor < before) {
      throw new Error(
        `sequence "${sequence}" of generators.${generator.name} is reserved up to ${before} and can only be raised: the floor must be ${before} or more, got ${floor}`,
      );
    }
    if (!force) assertAbove(floor, known, checked);
    const { maxId } = await setFloor(database, sequence, floor, { table, checked });
    return { sequence, before, maxId, pending: checked ? undefined : pending, known };
  } finally {
    await database.close();
  }
}

/** Throws if a floor is below what is known to have been issued, and what is unknown matters. */
function assertAbove(floor: number, known: IssuedIds, checked: boolean): void {
  const above = aboveOf(known, floor);
  if (above !== undefined) {
    throw new Error(
      `floor ${floor} is too low: ${repeatsText(above, floor)}; the floor must be ${above.upTo} or more, or --force repeats them`,
    );
  }
  const [unread] = known.unread;
  if (checked && unread !== undefined) {
    throw new Error(
      `floor ${floor} cannot be compared with ${unread}; without --checked it is safe, and with --force it is not compared`,
    );
  }
}

/** What whoever raised or looked at a sequence should know, on standard error. */
function note(
  { before, maxId, pending, known }: Raised,
  generator: ConfiguredGenerator,
  context: CommandContext,
) {
  const { stderr } = context;
  if (maxId > before) stderr.write(HELD);
  const above = aboveOf(known, maxId);
  if (above !== undefined) stderr.write(`ids: ${repeatsText(above, maxId)}\n`);
  for (const unread of known.unread) stderr.write(`ids: not compared with ${unread}\n`);
  if (pending !== undefined)
    stderr.write(`ids: ${CHANGE_TEXT[pending]}. ${afterLoss(generator.name, pending, generator.options)}\n`);
}
