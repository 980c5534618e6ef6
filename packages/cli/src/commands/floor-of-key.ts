import type { ConfiguredGenerator } from '@ids/config';
import { IdError, type StoreKeyState, type StoreKeys, type StrategyStore } from '@ids/core';
import { CHANGE_TEXT, logTableOf, type SqlExecutor } from '@ids/store';
import { openExisting } from '../tables/existing.js';
import { withFixes } from '../tables/fixes.js';
import { isPlaceholder } from '../tables/generators.js';
import { assertAbove, type IssuedIds, issuedBy } from '../tables/issued.js';
import { afterLossOfKey } from '../tables/lost-reservations.js';
import { recordMark } from '../tables/redis.js';
import { EXIT, type ExitCode, type RunContext } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';

const HELD = 'ids: processes and Redis still issue the IDs of this key that they hold\n';

interface KeyFloor {
  readonly key: string;
  /** From 1; undefined only to look. */
  readonly floor: number | undefined;
  readonly checked: boolean;
  readonly force: boolean;
}

/** `ids floor` of one key: shows where it stands, or raises it. Never lowers it. */
export async function floorOfKey(
  context: RunContext,
  generator: ConfiguredGenerator,
  { key, ...request }: KeyFloor,
): Promise<ExitCode> {
  const { name, store } = generator;
  const keys = store?.keys;
  if (store === undefined || keys === undefined)
    throw new IdError('ERR_IDS_UNMET', `generators.${name} issues IDs of one sequence: leave --key out`);
  try {
    await using database = await openExisting(store.database);
    const before = await keys.describe(database, key);
    if (request.floor !== undefined) await raise(database, store, keys, before, { key, ...request });
    const after = request.floor === undefined ? before : await keys.describe(database, key);
    if (context.json) writeJson(context.stdout, shownState(name, store.name, key, before, after));
    else
      context.stdout.write(`key ${JSON.stringify(key)} of family ${store.name} ${didText(before, after)}\n`);
    if (after.reserved !== before.reserved) context.stderr.write(HELD);
    noteOnKey(context, generator, key, after);
    return EXIT.ok;
  } catch (error) {
    throw await withFixes(error, generator);
  }
}

async function raise(
  database: SqlExecutor,
  store: StrategyStore,
  keys: StoreKeys,
  { reserved = 0n }: StoreKeyState,
  { key, floor = 0, checked, force }: KeyFloor,
): Promise<void> {
  if (floor < Math.max(1, Number(reserved))) {
    const least = reserved > 0n ? reserved : 1n;
    throw new Error(
      `key ${JSON.stringify(key)} is reserved up to ${reserved} and can only be raised: the floor must be ${least} or more, got ${floor}`,
    );
  }
  if (!force) assertAbove(floor, await idsOfKey(database, store, keys, key), checked);
  await keys.raise(database, key, BigInt(floor), { checked });
}

/** How far ids of a key were issued, by all that remembers it: the grant log, and its record in Redis. */
async function idsOfKey(
  database: SqlExecutor,
  { table, parts }: StrategyStore,
  keys: StoreKeys,
  key: string,
): Promise<IssuedIds> {
  const log = `the grant log ${logTableOf(`${table}_key`)}`;
  // Without the option "log", there may be one all the same, of which this role cannot know.
  const logged = keys.logged(database, key).catch((error: unknown) => {
    if (parts.includes('key-log')) throw error;
    return 0n;
  });
  const record = keys.record?.(key);
  return issuedBy([
    [log, logged],
    ...(record === undefined || isPlaceholder(record)
      ? []
      : [[`the record of ${record.key} in Redis`, recordMark(record)] as const]),
  ]);
}

function didText(before: StoreKeyState, after: StoreKeyState): string {
  const { reserved, nextAbove, startAfter } = after;
  if (reserved === undefined) return `is new: it starts after ${nextAbove ?? startAfter}`;
  const was = before.reserved === undefined ? 'is new, and was raised' : `was raised from ${before.reserved}`;
  const did = reserved === before.reserved ? `is reserved up to ${reserved}` : `${was} to ${reserved}`;
  return nextAbove === undefined || nextAbove === reserved
    ? did
    : `${did}; its next ID is above ${nextAbove}`;
}

function shownState(
  generator: string,
  family: string,
  key: string,
  before: StoreKeyState,
  { reserved, nextAbove, pending, familyPending, superseded, lockedBy }: StoreKeyState,
): object {
  const numberOf = (id: bigint | undefined) => (id === undefined ? null : Number(id));
  return {
    generator,
    family,
    key,
    before: numberOf(before.reserved),
    maxId: numberOf(reserved),
    nextAbove: numberOf(nextAbove),
    ...(pending && { pending }),
    ...(familyPending && { familyPending }),
    ...(superseded && { superseded }),
    ...(lockedBy && { lockedBy }),
  };
}

/** What whoever raised or looked at a key should know, on standard error. */
export function noteOnKey(
  { stderr }: RunContext,
  { name, store }: ConfiguredGenerator,
  key: string,
  { nextAbove, pending, familyPending, superseded, lockedBy }: StoreKeyState,
): void {
  if (lockedBy !== undefined)
    stderr.write(`ids: its row is locked by ${lockedBy}: calls for this key wait for it\n`);
  if (superseded)
    stderr.write(
      'ids: another primary has replaced this server, which issues no more IDs: connect to that one\n',
    );
  const lost = familyPending ?? pending;
  if (lost !== undefined && !superseded) {
    const [refused, ofFamily] = [nextAbove === undefined, familyPending !== undefined];
    const fromRedis = store?.keys?.record !== undefined;
    stderr.write(
      `ids: ${CHANGE_TEXT[lost]}. ${afterLossOfKey(name, key, { refused, ofFamily, fromRedis })}\n`,
    );
  }
}
