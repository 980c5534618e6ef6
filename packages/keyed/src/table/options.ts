import type { LogOptions, NewReignOptions, TableOptions } from '@ids/store';

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

/** The options of a change of the reign, with the defaults of keys. */
export function keySkips(options: NewReignOptions): Required<NewReignOptions> {
  const { afterFailover = DEFAULT_KEY_SKIP, afterRestore = DEFAULT_KEY_SKIP } = options;
  return { afterFailover, afterRestore };
}
