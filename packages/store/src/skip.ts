import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import type { Row } from './executor.js';
import type { ReignChange } from './reign-change.js';
import { assertIdBound } from './whole-number.js';

/**
 * How many ids a reservation skips where others may have been issued that its row does not know of. What was
 * lost grows with time, so the skip does, too:
 *
 *     base + max(4 x rate x age, perSecond x min(age, 1 day)),
 *     at most a quarter of what is left of the range
 *
 * - `age`: since the last minute in which the row was written, by the database's clock.
 * - `rate`: the most ids a second that were reserved in a minute. Four times as many: it may have grown.
 *
 * After a failover, two standbys that inherit one row within seconds differ in nothing but themselves. So
 * each has a lane, 0 to 255, and skips `lane` times a distance besides: what is used in 20 minutes, from a
 * hundredth of the base to the base. Each further timeline skips the base and all lanes.
 *
 * What it does not cover: a rate more than four times any before, a clock that was set back, and two servers
 * that issue ids beside each other for longer than the distance between them lasts.
 */
export interface GrowingSkip {
  /**
   * How many ids at least, 0 to 2^53 - 1; default 10,000,000. In a sequence with groups, at most a thousandth
   * of a group.
   */
  readonly base?: number | undefined;
  /**
   * For a sequence whose rate is not known: how many ids for each second since its row was written, up to a
   * day, 0 to 2^53 - 1; default 1,000. At most a 10^-8 of the range.
   */
  readonly perSecond?: number | undefined;
}

/**
 * What a reservation does if its table is in another reign: it skips ids, this many or as described by
 * `GrowingSkip`, or rejects with `ERR_IDS_REGRESSED` until `setFloor` is called with `checked`.
 */
export type AfterReignChange = number | GrowingSkip | 'refuse';

/** The same with defaults; null to refuse. */
export type Skip = number | Required<{ [K in keyof GrowingSkip]: number }> | null;

/** What to do after each change. */
export type Skips = Readonly<Record<ReignChange, Skip>>;

/** Ten segments of the largest default step, and the rate of a busy service. */
const DEFAULT_SKIP = { base: 10_000_000, perSecond: 1_000 };

export interface NewReignOptions {
  /**
   * After a standby was promoted, or a base backup recovered; default `{ base: 10_000_000, perSecond: 1_000
   * }`. A number counts for each timeline that has begun since. It must cover the ids that the former server
   * reserved in commits that this one lacks, and what it reserves while it still answers, with what it
   * skipped itself. 0 is safe only if no standby is ever promoted that did not confirm every commit.
   */
  readonly afterFailover?: AfterReignChange | undefined;
  /**
   * After the row was restored from a dump, copied or replicated logically, or the server upgraded; default
   * `{ base: 10_000_000, perSecond: 1_000 }`. On Postgres, the base of `afterFailover` is added for each
   * timeline that has begun since.
   */
  readonly afterRestore?: AfterReignChange | undefined;
}

export const AFTER_RULE =
  'must be "refuse", a whole number of ids from 0 to 9007199254740991, or { base, perSecond } of such numbers';

export function isAfterReignChange(value: unknown): value is AfterReignChange {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return value === 'refuse' || isCount(value);
  return Object.entries(value).every(
    ([name, count]) => Object.hasOwn(DEFAULT_SKIP, name) && (count === undefined || isCount(count)),
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function skipsOf({ afterFailover = {}, afterRestore = {} }: NewReignOptions): Skips {
  return { failover: skip('afterFailover', afterFailover), restore: skip('afterRestore', afterRestore) };
}

function skip(option: string, value: AfterReignChange): Skip {
  if (value === 'refuse') return null;
  if (typeof value === 'number') {
    assertIdBound(option, value);
    return value;
  }
  if (!isAfterReignChange(value)) {
    throw new IdError('ERR_IDS_CONFIG', `option "${option}": ${AFTER_RULE}, got ${formatValue(value)}`);
  }
  const { base = DEFAULT_SKIP.base, perSecond = DEFAULT_SKIP.perSecond } = value;
  return { base, perSecond };
}

/** How much of a skip does not depend on time: what is skipped where nothing is known about the row. */
export function baseOf(skip: Skip): number | null {
  return typeof skip === 'object' ? (skip?.base ?? null) : skip;
}

/** How many ids a skip grows by in a second of a row whose rate is not known. */
export function perSecondOf(skip: Skip): number {
  return typeof skip === 'object' ? (skip?.perSecond ?? 0) : 0;
}

/** The greater one; null before any. */
export function greaterSkip(one: Skip, other: Skip): Skip {
  if (one === null || other === null) return null;
  if (typeof one === 'number' && typeof other === 'number') return Math.max(one, other);
  const [a, b] = [one, other].map((skip) => (typeof skip === 'number' ? { base: skip, perSecond: 0 } : skip));
  return {
    base: Math.max(a?.base ?? 0, b?.base ?? 0),
    perSecond: Math.max(a?.perSecond ?? 0, b?.perSecond ?? 0),
  };
}

/** How often, and for how long, a sequence was used before it was lost. */
export interface Pace {
  /** Seconds since the last minute began in which it was written, by the database's clock. */
  readonly ageSeconds: number;
  /** The most ids that were reserved in a minute, for each of its seconds. */
  readonly idsPerSecond: number;
}

/** The pace of a row that was read; undefined if it does not say. */
export function readPace({ age, rate }: Row): Pace | undefined {
  if (age === null || age === undefined) return undefined;
  return { ageSeconds: Number(age), idsPerSecond: Number(rate) };
}

/** What is known about a row whose reign has changed, or that is below what was reserved. */
export interface RowLoss {
  /** How many timelines have begun since it was written; by default one at a failover. */
  readonly timelines?: number | undefined;
  /**
   * Tells this server from another one that inherited the same row, 0 to 255. Undefined without a `pace`:
   * then the base is all that is skipped.
   */
  readonly lane?: number | undefined;
  /** Undefined if the row does not say: then the skip does not grow, and `perSecond` is taken as its rate. */
  readonly pace?: Pace | undefined;
  /** How many ids are left in the range, or in the group that is now. */
  readonly left?: number | undefined;
  /** How many ids the range, or the group, has. */
  readonly range?: number | undefined;
}

/** How many heirs of one row can be told apart. */
export const LANES = 256;

/** How many seconds of the greatest rate lie between two lanes. */
export const LANE_SECONDS = 1_200;

/** By how much a rate may have grown beyond the greatest one before. */
export const GROWTH = 4;
/** For how many seconds `perSecond` counts at most. */
export const DAY_SECONDS = 86_400;

/** How many ids are skipped, and why so many. */
export interface Skipped {
  /** How many ids below the segment, because the former store may have reserved them. */
  readonly skipped: number;
  /** Present if they depend on it. */
  readonly pace?: Pace | undefined;
  /** Whether more were to be skipped than a quarter of the ids that were left. */
  readonly isCut?: true | undefined;
}

/** What a reservation skips after a change; null: it is refused. */
export function skippedAfter(change: ReignChange, skips: Skips, loss: RowLoss = {}): Skipped | null {
  const { timelines = change === 'failover' ? 1 : 0, pace, range = Number.MAX_SAFE_INTEGER } = loss;
  const { left = range, lane = pace && 0 } = loss;
  const apply = [
    ...(change === 'restore' ? [{ skip: skips.restore, times: 1, ofTimelines: false }] : []),
    ...(timelines === 0 ? [] : [{ skip: skips.failover, times: timelines, ofTimelines: true }]),
  ];
  let [fixed, perSecond, grows] = [0, 0, false];
  for (const { skip, times, ofTimelines } of apply) {
    if (skip === null) return null;
    if (typeof skip === 'number' || lane === undefined) {
      fixed += (baseOf(skip) ?? 0) * times;
      continue;
    }
    grows = true;
    const base = Math.min(skip.base, Math.floor(range / 1_000));
    const rate = pace?.idsPerSecond ?? skip.perSecond;
    const distance = clamp(Math.ceil(LANE_SECONDS * rate), Math.ceil(base / 100), base);
    const lanes = clamp(Math.floor(range / 100 / Math.max(1, distance)), 1, LANES);
    fixed += base * times + (ofTimelines ? distance * ((times - 1) * (lanes - 1) + (lane % lanes)) : 0);
    perSecond = Math.max(perSecond, Math.min(skip.perSecond, range / 1e8));
  }
  if (!grows) return { skipped: fixed };
  const { ageSeconds, idsPerSecond } = pace ?? { ageSeconds: 0, idsPerSecond: 0 };
  const age = Math.max(0, ageSeconds);
  const sinceThen = Math.max(GROWTH * idsPerSecond * age, perSecond * Math.min(age, DAY_SECONDS));
  const [wanted, most] = [fixed + Math.ceil(sinceThen), Math.floor(left / 4)];
  const why = pace && { pace };
  return wanted > most ? { skipped: most, ...why, isCut: true } : { skipped: wanted, ...why };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** How many ids that are; null: it is refused. */
export function skipAfter(change: ReignChange, skips: Skips, loss?: RowLoss): number | null {
  return skippedAfter(change, skips, loss)?.skipped ?? null;
}

/**
 * The most ids above a row that its other heirs skip, on any lane. Twice the greatest skip: one heir may have
 * skipped above what its callers knew of another.
 */
export function skippedByHeirs(skips: Skips, loss: RowLoss): number {
  const timelines = Math.max(1, loss.timelines ?? 0);
  return 2 * (skipAfter('restore', skips, { ...loss, timelines, lane: loss.pace && LANES - 1 }) ?? 0);
}

/** The most that is skipped after a change, for a plan: on the last lane, a day old, at that rate. */
export function greatestSkip(change: ReignChange, skips: Skips, idsPerSecond = 1_000): number | null {
  return skipAfter(change, skips, { lane: LANES - 1, pace: { ageSeconds: DAY_SECONDS, idsPerSecond } });
}
