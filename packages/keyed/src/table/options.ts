import {
  type AfterReignChange,
  baseOf,
  type LogOptions,
  type NewReignOptions,
  perSecondOf,
  type ReignChange,
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
 *   more than others.
 */
export const DEFAULT_KEY_SKIP = { base: 10_000, perSecond: 1 };

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

/** What was lost of a key. */
export interface KeyLoss {
  /** How many timelines have begun since its row was written; by default one at a failover. */
  readonly timelines?: number | undefined;
  /** How many seconds its family has lost since. */
  readonly seconds?: number | undefined;
}

/** How many ids of a key are skipped after a change; null: it is refused. */
export function keySkipAfter(
  change: ReignChange,
  skips: Skips,
  { timelines, seconds = 0 }: KeyLoss,
): number | null {
  const fixed = skipAfter(change, skips, { timelines });
  if (fixed === null) return null;
  const applied = [
    ...(change === 'restore' ? [skips.restore] : []),
    ...((timelines ?? (change === 'failover' ? 1 : 0)) === 0 ? [] : [skips.failover]),
  ];
  return fixed + Math.max(0, seconds) * Math.max(0, ...applied.map(perSecondOf));
}

/**
 * How many ids of a key are skipped in its reign, if its row lacks some that a caller knows; null: it is
 * refused.
 */
export function skipIfBelow({ restore }: Skips): number | null {
  return baseOf(restore);
}
