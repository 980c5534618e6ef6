import { IdError } from '@ids/core';
import {
  DEFAULT_TABLE,
  GROUP_CAPACITY,
  inOneGroup,
  LAST_ID,
  type OpenGroup,
  parseTicket,
} from '@ids/segment';
import {
  assertIdBound,
  DAY_SECONDS,
  type NewReignOptions,
  type ReignChange,
  type Row,
  type RowLoss,
  type Skips,
  skipAfter,
  type TableOptions,
} from '@ids/store';
import { assertKey } from '../key.js';
import { noSuchFamily, sequenceOf } from '../keyed-source.js';
import { CROSSINGS } from './answers.js';
import { keyTableOf } from './key-table.js';
import { keySkipAfter, keySkipsOf } from './options.js';

/** `afterFailover` and `afterRestore` as in the services that issue ids of the family. */
export interface DescribeKeyOptions extends TableOptions, NewReignOptions {}

export interface RaiseKeyOptions extends TableOptions {
  /**
   * Whether no id of the key above the floor was ever issued or is held by a process; default false. Then a
   * failover or a restore is over for this key: its next reservation skips nothing, and is not refused.
   * Otherwise the next one skips or is refused as before, above the floor.
   */
  readonly checked?: boolean | undefined;
}

/** Where a key stands. */
export interface KeyDescription {
  /**
   * The greatest id that was reserved of it, or to which it was raised; undefined without a row. With groups,
   * it may be of an earlier one.
   */
  readonly maxId: number | undefined;
  /**
   * The next reservation starts above this id, what it skips included; undefined if it is refused. With
   * groups, it is in the current one. A process or a Redis that knows of greater ids starts above those.
   */
  readonly nextAbove: number | undefined;
  /** What the next reservation notices: in the row of the key, or in that of the family without one. */
  readonly pending: ReignChange | undefined;
  /** Whether it is refused because another primary has followed this one. Only Postgres can tell. */
  readonly superseded: boolean;
  /**
   * Who has locked the row, for people; undefined if nobody has, or if the role cannot see it. Calls for ids
   * of the key wait until it is unlocked.
   */
  readonly lockedBy: string | undefined;
  /**
   * Where new keys start, with groups in the current one, and the change that the next reservation of any key
   * detects first.
   */
  readonly family: { readonly maxId: number; readonly pending: ReignChange | undefined };
}

/** A row as it was found: that of a key, or that of its family. */
export interface FoundRow {
  readonly maxId: number;
  readonly pending: ReignChange | undefined;
  /** How many ids the next reservation skips for it; null if it is refused. */
  readonly skip: number | null;
  readonly superseded: boolean;
}

/** A row as it was read. */
export interface ReadRow extends Omit<FoundRow, 'skip'> {
  /** How many timelines have begun since it was written, where the server says so. */
  readonly timelines?: number | undefined;
  /** How many seconds its family may have lost, as the row says; 0 where it says nothing. */
  readonly secondsLost: number;
  /** How many reigns have followed its server that was reinstated. */
  readonly reignsLost: number;
  /** As in `RowLoss`; undefined where the row does not say. */
  readonly loss?: Pick<RowLoss, 'lane' | 'pace'> | undefined;
}

/** The options of `describeKey`, with defaults. */
export function describing({ table = DEFAULT_TABLE, ...options }: DescribeKeyOptions = {}) {
  return { table, keys: keyTableOf(table), skips: keySkipsOf(options) };
}

/** What `describeKey` reads in a database. */
interface Reading {
  readonly table: string;
  /** That of the family, read before the rows. */
  readonly group: OpenGroup | undefined;
  /** Those of the family and of the key, read at one moment: `what` says which. */
  readonly rows: readonly Row[];
  readonly read: (row: Row) => ReadRow;
  readonly skips: Skips;
  /** Who has locked the row of the key. */
  readonly holder: () => Promise<string | undefined>;
}

/** `describeKey`, in any database. */
export async function describeKeyBy(
  family: string,
  { table, group, rows, read, skips, holder }: Reading,
): Promise<KeyDescription> {
  const [ofFamily, ofKey] = ['family', 'key'].map((what) => {
    const row = rows.find((one) => one.what === what);
    return row && read(row);
  });
  if (ofFamily === undefined) throw noSuchFamily(family, `table ${table}`);
  const foundKey = ofKey && { ...ofKey, skip: skipOfKey(ofKey, ofFamily, skips, group) };
  const foundFamily = { ...ofFamily, skip: skipOfFamily(ofFamily, skips, group) };
  return describedBy(foundFamily, foundKey, ofKey && (await holder()), group);
}

/** What the next reservation of a family skips, as of any sequence. */
function skipOfFamily(
  { pending, maxId, timelines, loss }: ReadRow,
  skips: Skips,
  group: OpenGroup | undefined,
) {
  if (pending === undefined) return 0;
  const range = group === undefined ? LAST_ID + 1 : GROUP_CAPACITY[group.by];
  const left = range - 1 - (Math.max(maxId, group?.base ?? 0) % range);
  return skipAfter(pending, skips, { timelines, ...loss, left, range });
}

/** What that of a key skips. A change that is pending in its family adds to what may be lost first. */
function skipOfKey(key: ReadRow, family: ReadRow, skips: Skips, group: OpenGroup | undefined): number | null {
  const age = family.pending === undefined ? 0 : (family.loss?.pace?.ageSeconds ?? 0);
  const seconds = family.secondsLost + Math.ceil(Math.min(age, DAY_SECONDS)) - key.secondsLost;
  return keySkipAfter(key.pending, skips, {
    timelines: key.timelines,
    seconds: group === undefined ? seconds : 0,
    idsPerSecond: key.loss?.pace?.idsPerSecond,
    lane: key.loss?.lane,
    reigns: family.reignsLost - key.reignsLost,
  });
}

/** Where a key stands whose rows were found; `group`: that of its family which was before they were read. */
export function describedBy(
  family: FoundRow,
  key: FoundRow | undefined,
  lockedBy: string | undefined,
  group: OpenGroup | undefined,
): KeyDescription {
  const stands = key ?? family;
  const superseded = family.superseded || stands.superseded;
  // The family is reserved from first, which takes an id itself.
  const own = key === undefined && family.pending !== undefined ? 1 : 0;
  const standsAt = ({ maxId }: FoundRow): number => Math.max(maxId, group?.base ?? 0);
  const aboveOf = (row: FoundRow): number => standsAt(row) + (row.skip ?? 0);
  const above = aboveOf(stands) + own;
  const first = family.pending === undefined ? above : aboveOf(family);
  const full = group !== undefined && [first, above].some((start) => !inOneGroup(group, start, 1));
  const refused = superseded || family.skip === null || stands.skip === null || full;
  return {
    maxId: key?.maxId,
    nextAbove: refused ? undefined : above,
    pending: stands.pending,
    superseded,
    lockedBy,
    family: { maxId: standsAt(family), pending: family.pending },
  };
}

/** What raises the row of a key to `above`, each step in one statement that commits by itself. */
interface Raising {
  /** The group of the family that is now. */
  readonly group: OpenGroup | undefined;
  /** Where the row stands afterwards; undefined if there is none. */
  readonly raise: (above: number) => Promise<number | undefined>;
  /** Makes the row; undefined if somebody else has just made it. */
  readonly bear: (above: number) => Promise<number | undefined>;
}

/**
 * `raiseKey`, in any database. The group was read before. Later: a group that had begun still has, so the
 * floor is no less acceptable, and the next reservation starts in the group that is then. On another server
 * than the one where it was read: what the clocks of the two differ by is what a reservation allows for.
 */
export async function raiseKeyBy(
  family: string,
  key: string,
  floor: number,
  { group, raise, bear }: Raising,
): Promise<number> {
  if (group !== undefined) assertHasBegun(floor, group);
  const base = group?.base ?? 0;
  for (let attempt = 0; attempt <= CROSSINGS; attempt++) {
    const stands = (await raise(floor)) ?? (await bear(Math.max(floor, base)));
    if (stands !== undefined) return Math.max(stands, base);
  }
  throw new IdError(
    'ERR_IDS_UNAVAILABLE',
    `${sequenceOf(family, key)} was not raised to ${floor}: its row is made and deleted again and again`,
  );
}

/**
 * Throws unless `floor` is in a group that has begun, as a reservation sees it: above a later one, a key
 * would be refused until that begins. The number 0 is where a group begins.
 */
function assertHasBegun(floor: number, { by, base, limit }: OpenGroup): void {
  try {
    const isStart = floor % GROUP_CAPACITY[by] === 0;
    parseTicket(isStart ? floor + 1 : floor, { by });
    if (floor < limit) return;
  } catch {
    // It is no ticket.
  }
  throw new RangeError(
    `floor must be the date of a ${by} that has begun and a number in it, such as ${base + 42} for number 42, and at most ${limit - 1}, got ${floor}`,
  );
}

/** Throws unless `raiseKey` can be called with them. */
export function assertRaisable(key: string, floor: number): void {
  assertKey(key);
  assertIdBound('floor', floor);
  if (floor === 0) throw new RangeError(`floor must be a whole number from 1 to ${LAST_ID}, got 0`);
}
