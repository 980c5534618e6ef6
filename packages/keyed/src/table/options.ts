import {
  type AfterReignChange,
  baseOf,
  DAY_SECONDS,
  GROWTH,
  LANES,
  type LogOptions,
  type NewReignOptions,
  perSecondOf,
  type ReignChange,
  type Skip,
  type Skips,
  skipAfter,
  skipsOf,
  type TableOptions,
} from '@ids/store';

/** The options of a source that keeps families in a segment table and keys in a table beside it. */
export interface SqlKeyedSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /** Whether `close` also closes the executor; default false. */
  readonly closeExecutor?: boolean | undefined;
}

/**
 * How many ids of a key are skipped after a change of the reign. It must cover what the former server
 * reserved of *one key* in commits that this one lacks, and what it reserves while it still answers: far less
 * than of a sequence that all share.
 *
 * - `base`: what a former server that still answers may reserve, in any case.
 * - `perSecond`: for each second in which the former server may have been used, up to a day for each change.
 *   It is counted in the row of the family, from its newest write on: a key that rests for a year loses no
 *   more than others. For a key that was ever used faster, four times its own rate.
 *
 * After a failover also `lane` times the distance between two lanes, as `GrowingSkip` has them: what the key
 * used in two minutes, and at least a hundredth of the base.
 */
export const DEFAULT_KEY_SKIP = { base: 10_000, perSecond: 1 };

/**
 * How many seconds of the greatest rate of a key lie between two lanes: longer than a successor answers that
 * is replaced by another one at once.
 */
export const KEY_LANE_SECONDS = 120;

/** How many ids of a key lie between two lanes at least; null if a skip is the same on all of them. */
export function leastDistanceOf(skip: Skip): number | null {
  return typeof skip === 'object' && skip !== null ? Math.ceil(skip.base / 100) : null;
}

/** The options of a change of the reign, with the defaults of keys. */
export function keySkips({ afterFailover, afterRestore }: NewReignOptions): Required<NewReignOptions> {
  return { afterFailover: keySkip(afterFailover), afterRestore: keySkip(afterRestore) };
}

function keySkip(option: AfterReignChange = {}): AfterReignChange {
  if (typeof option !== 'object' || option === null) return option;
  const { base = DEFAULT_KEY_SKIP.base, perSecond = DEFAULT_KEY_SKIP.perSecond, ...unknown } = option;
  return { ...unknown, base, perSecond };
}

export function keySkipsOf(options: NewReignOptions): Skips {
  return skipsOf(keySkips(options));
}

/** How many ids a skip grows by in a second, at least; null if it does not grow. */
export function growthOf(skip: Skip): number | null {
  return typeof skip === 'object' && skip !== null ? perSecondOf(skip) : null;
}

/**
 * How many ids of a key are skipped for each reign that followed a server which was reinstated: `ids`, null
 * to refuse it, and what the key used in `seconds`. As for a sequence, see `skipToReinstate`: what the first
 * reservation of that reign has skipped on any lane, and what it may have reserved in a day.
 */
export function perLostReign({ failover, restore }: Skips): {
  readonly ids: number | null;
  readonly seconds: number;
} {
  const bases = [baseOf(failover), baseOf(restore)];
  const [after = null, restored = null] = bases;
  if (after === null || restored === null) return { ids: null, seconds: 0 };
  const began = after + restored + LANES * (leastDistanceOf(failover) ?? 0);
  const perSecond = Math.max(perSecondOf(failover), perSecondOf(restore));
  const grows = [failover, restore].some((skip) => growthOf(skip) !== null);
  return {
    ids: began + Math.max(after, restored) + DAY_SECONDS * perSecond,
    seconds: grows ? LANES * KEY_LANE_SECONDS + GROWTH * DAY_SECONDS : 0,
  };
}

/** What was lost of a key. */
export interface KeyLoss {
  /** How many timelines have begun since its row was written; by default one at a failover. */
  readonly timelines?: number | undefined;
  /** How many seconds its family has lost since. */
  readonly seconds?: number | undefined;
  /** The most ids of it that were reserved in a second; 0 where nobody counts them. */
  readonly idsPerSecond?: number | undefined;
  /** The lane of the server. */
  readonly lane?: number | undefined;
  /** How many reigns its family has lost since, because the server that they followed was reinstated. */
  readonly reigns?: number | undefined;
}

/** How many ids of a key are skipped after a change, if there was one; null: it is refused. */
export function keySkipAfter(change: ReignChange | undefined, skips: Skips, loss: KeyLoss): number | null {
  const { idsPerSecond = 0, reigns = 0 } = loss;
  const changed = change === undefined ? 0 : skipAfterChange(change, skips, loss);
  if (reigns <= 0 || changed === null) return changed;
  const { ids, seconds } = perLostReign(skips);
  return ids === null ? null : changed + reigns * (ids + Math.ceil(seconds * idsPerSecond));
}

function skipAfterChange(
  change: ReignChange,
  skips: Skips,
  { timelines = change === 'failover' ? 1 : 0, seconds = 0, idsPerSecond = 0, lane = 0 }: KeyLoss,
): number | null {
  const fixed = skipAfter(change, skips, { timelines });
  if (fixed === null) return null;
  const applied = [
    ...(change === 'restore' ? [skips.restore] : []),
    ...(timelines === 0 ? [] : [skips.failover]),
  ];
  const rates = applied.map((skip) =>
    typeof skip === 'object' ? Math.max(perSecondOf(skip), GROWTH * idsPerSecond) : 0,
  );
  const least = timelines === 0 ? null : leastDistanceOf(skips.failover);
  const distance = least === null ? 0 : Math.max(least, Math.ceil(KEY_LANE_SECONDS * idsPerSecond));
  const lanes = distance * ((timelines - 1) * (LANES - 1) + lane);
  return fixed + lanes + Math.ceil(Math.max(0, seconds) * Math.max(0, ...rates));
}

/**
 * How many ids of a key are skipped in its reign, if its row lacks some that a caller knows; null: it is
 * refused.
 */
export function skipIfBelow({ restore }: Skips): number | null {
  return baseOf(restore);
}
