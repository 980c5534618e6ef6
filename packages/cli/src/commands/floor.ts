import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type ConfiguredGenerator, planSeries } from '@ids/config';
import { IdError, type StoreState } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import { CHANGE_TEXT } from '@ids/store';
import { openExisting } from '../tables/existing.js';
import { withFixes } from '../tables/fixes.js';
import { neededBy, planAll, readAndWarn, withPlaceholders } from '../tables/generators.js';
import { aboveOf, assertAbove, heardReigns, type IssuedIds, issuedIds } from '../tables/issued.js';
import { afterLoss } from '../tables/lost-reservations.js';
import { standsBelow } from '../tables/stands-below.js';
import { type AddCommand, type CommandContext, EXIT, wholeNumber } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';
import { floorOfKey } from './floor-of-key.js';
import { floorOfSeries } from './floor-of-series.js';

const HELD =
  'ids: processes and Redis still issue IDs from the segments they hold; if that must not happen, ' +
  'restart the processes, and delete the key of the sequence in Redis\n';

const ONLY_NEW_KEYS = 'ids: keys that already have IDs continue where they are; --key raises one of them\n';

interface FloorRequest {
  readonly floor: number | undefined;
  readonly checked: boolean;
  readonly force: boolean;
}

interface Raised {
  readonly sequence: string;
  readonly before: bigint;
  readonly maxId: bigint;
  /** Of a family with groups: where its new keys started before, by the clock of the database. */
  readonly startAfter: bigint | undefined;
  /** What the next reservation still skips ids for. */
  readonly pending: StoreState['pending'];
  readonly refused: StoreState['refused'];
  readonly fromRedis: boolean;
  readonly known: IssuedIds;
  /** What is above it: ids that it would issue again, or those of others, as while a migration lasts. */
  readonly below: readonly string[];
}

/** Shows how far the sequence of a generator is reserved, or raises it. Never lowers it. */
export const addFloor: AddCommand = (ids, actionOf) =>
  ids
    .command('floor')
    .description('Show how far a sequence is reserved, or raise it')
    .argument('<generator>', 'the name of the generator in the config, or of a series')
    .argument(
      '[floor]',
      'the ID above which later segments must lie (default: only show the sequence)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--checked',
      'no higher ID was ever issued: skip nothing more after a restore or a failover, and end a refusal; of a series, without [floor]: of any of its keys',
    )
    .option(
      '--force',
      'accept a floor below IDs that are known, so that they are issued again; of a series: a key that has no number',
    )
    .option(
      '--key <key>',
      'of a keyed generator: one key, instead of where new keys start; of a series: the key that is raised',
    )
    .action(
      actionOf(async (context, name, floor, { checked = false, force = false, key }) => {
        const read = withPlaceholders(await readAndWarn(context), ['redis']);
        const plans = planAll(read, context.strategies);
        const allSeries = planSeries(read.config);
        const generator = plans.get(name);
        const series = allSeries.get(name);
        if (series !== undefined && generator?.store?.position === undefined)
          return await floorOfSeries(context, series, { key, floor, checked, force });
        if (floor === undefined && (checked || force)) {
          const of = key === undefined ? '' : ' --key <key>';
          throw new InvalidArgumentError(
            `${checked ? '--checked' : '--force'} needs a floor: npx --no -- ids floor ${name} <ID>${of}`,
          );
        }
        if (generator === undefined) {
          const known = [...plans.keys(), ...allSeries.keys()];
          const kind = allSeries.size === 0 ? 'generator' : 'generator or series';
          throw new IdError('ERR_IDS_CONFIG', unknownNameMessage(kind, name, known));
        }
        if (generator.store?.position === undefined) {
          const why = `${generator.strategy} takes no IDs from a sequence in a database`;
          throw new IdError('ERR_IDS_CONFIG', `generators.${name} has no floor: ${why}`);
        }
        if (key !== undefined) return await floorOfKey(context, generator, { key, floor, checked, force });
        const raised = await raise(generator, [...plans.values()], { floor, checked, force }).catch(
          async (error: unknown) => {
            throw await withFixes(error, generator);
          },
        );
        const { sequence, before, maxId, startAfter, pending } = raised;
        const [from, to] = [before, maxId].map((id) => laterOf(id, startAfter));
        if (context.json) {
          writeJson(context.stdout, {
            generator: name,
            sequence,
            before: Number(before),
            maxId: Number(maxId),
            ...(startAfter !== undefined && { startAfter: Number(to) }),
            ...(pending && { pending }),
          });
        } else {
          const did =
            maxId === before ? `is reserved up to ${maxId}` : `was raised from ${before} to ${maxId}`;
          const noLonger = to === from ? '' : `, no longer after ${from}`;
          const said =
            generator.store.byKey === true
              ? `new keys of family ${sequence} start after ${to}${noLonger}`
              : `sequence ${sequence} ${did}`;
          context.stdout.write(`${said}\n`);
        }
        note(raised, generator, context);
        return EXIT.ok;
      }),
    );

function laterOf(id: bigint, other = 0n): bigint {
  return id > other ? id : other;
}

/** Raises the sequence to `floor`, or leaves it alone without one. */
async function raise(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
  { floor, checked, force }: FloorRequest,
): Promise<Raised> {
  const needed = neededBy(generator, all);
  const found = needed?.entries[0];
  const position = found?.store.position;
  if (needed === undefined || found === undefined || position === undefined)
    throw new TypeError('unreachable: it has a sequence');
  const sequence = found.name;
  await using database = await openExisting(needed.database);
  // Before the row, which is above all that is issued meanwhile.
  const known = await issuedIds(database, needed, found, { counters: floor !== undefined });
  const { reserved: before, startAfter, pending, refused } = await found.store.describe(database);
  const of = { sequence, before, startAfter, refused, fromRedis: found.hashes.length > 0 };
  const belowAt = async (maxId: bigint): Promise<readonly string[]> => {
    if (aboveOf(known, maxId) === undefined) return [];
    const { repeats, beside } = await standsBelow(database, needed, found, maxId);
    return repeats === undefined ? beside : [repeats.text, ...beside];
  };
  if (floor === undefined) return { ...of, maxId: before, pending, known, below: await belowAt(before) };
  if (floor < before) {
    throw new Error(
      `sequence "${sequence}" of generators.${generator.name} is reserved up to ${before} and can only be raised: the floor must be ${before} or more, got ${floor}`,
    );
  }
  if (!force) assertAbove(floor, known, checked);
  const follows = checked ? await heardReigns(found) : [];
  const maxId = await position.raise(database, BigInt(floor), {
    checked,
    ...(follows.length > 0 && { follows }),
  });
  const still = checked ? undefined : pending;
  return { ...of, maxId, pending: still, known, below: await belowAt(maxId) };
}

/** What whoever raised or looked at a sequence should know, on standard error. */
function note(
  { before, maxId, pending, refused, fromRedis, known, below }: Raised,
  generator: ConfiguredGenerator,
  context: CommandContext,
) {
  const { stderr } = context;
  const byKey = generator.store?.byKey === true;
  if (maxId > before) stderr.write(byKey ? ONLY_NEW_KEYS : HELD);
  for (const text of below) stderr.write(`ids: ${text}\n`);
  for (const unread of known.unread) stderr.write(`ids: not compared with ${unread.text}\n`);
  if (pending !== undefined)
    stderr.write(
      `ids: ${CHANGE_TEXT[pending]}. ${afterLoss(generator.name, { refused, byKey, fromRedis })}\n`,
    );
}
