import {
  type AfterReignChange,
  baseOf,
  type LogOptions,
  type NewReignOptions,
  type ReignChange,
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
 */
export const DEFAULT_KEY_SKIP = 10_000;

/** The options of a change of the reign, with the defaults of keys. Only the base of a skip counts. */
export function keySkips(options: NewReignOptions): Readonly<Record<keyof NewReignOptions, KeySkip>> {
  const { afterFailover, afterRestore } = options;
  return { afterFailover: keySkip(afterFailover), afterRestore: keySkip(afterRestore) };
}

type KeySkip = Exclude<AfterReignChange, object>;

function keySkip(option: AfterReignChange = DEFAULT_KEY_SKIP): KeySkip {
  return typeof option === 'object' ? (option.base ?? DEFAULT_KEY_SKIP) : option;
}

/** The numbers for statements; null to refuse. */
export type KeySkips = Readonly<Record<ReignChange, number | null>>;

export function keySkipsOf(options: NewReignOptions): KeySkips {
  const { failover, restore } = skipsOf(keySkips(options));
  return { failover: baseOf(failover), restore: baseOf(restore) };
}
