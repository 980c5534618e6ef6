/**
 * What a strategy promises, as data. The conformance kit, the bench, the config check and the docs read it.
 * Every promise here is tested by the kit; one that is not is a defect. `docs/guarantees.md` defines each
 * term.
 */
export interface Guarantees {
  /**
   * Present for a keyed generator: every other promise holds for the ids of one key, and two keys issue the
   * same ids.
   */
  readonly within?: 'key';
  /** The scope in which no id is issued twice: all processes that share the backends, or one process. */
  readonly unique: 'cluster' | 'process';
  readonly order: {
    /** Ids of one generator, in order of issue. */
    readonly process: 'increasing' | 'none';
    /**
     * Ids of all processes together. `real-time`: if A was returned before B was requested, then A < B.
     * `k-sorted`: if A was issued more than `skewMs` before B, then A < B.
     */
    readonly cluster: 'real-time' | 'k-sorted' | 'none';
    /** In milliseconds, for `k-sorted` only. Assumes that the clocks of all processes are synchronised. */
    readonly skewMs?: number;
  };
  /** When numbers can be missing from the sequence. */
  readonly gaps: 'never' | 'on-restart' | 'on-fault';
  /**
   * The most ids that are set aside and not yet issued at any moment. They are lost if the process or store
   * that holds them fails. 0 if none are set aside; absent if there is no bound.
   */
  readonly maxIdsLost?: number;
  /** Whether `nextSync` and `nextBatchSync` exist. */
  readonly sync: boolean;
  readonly idType: 'string' | 'number' | 'bigint';
  readonly text: {
    /**
     * Matches the whole `String(id)` of every id. Use it to validate; programs should read the properties
     * below instead.
     */
    readonly pattern: RegExp;
    /** The prefix of every string; absent if there is no common one. */
    readonly prefix?: string;
    /** Every character that can follow the prefix; absent if any can. */
    readonly alphabet?: string;
    /**
     * The length of the shortest `String(id)` in characters, including the prefix; absent if there is no
     * lower bound.
     */
    readonly minLength?: number;
    /** The length of the longest `String(id)` in characters, including the prefix. */
    readonly maxLength: number;
    /** Whether comparing the strings by code unit gives the order promised by `order`. */
    readonly sortable: boolean;
    /**
     * Whether two ids can differ only in the case of letters. If so, columns, file names and caches must be
     * case-sensitive. Absent means false.
     */
    readonly caseSensitive?: boolean;
  };
  readonly backends: readonly ('redis' | 'sql' | 'http')[];
  /** What anyone who sees ids can learn from them. */
  readonly discloses: readonly ('time' | 'volume' | 'host' | 'address' | 'process')[];
  /** The most ids per second that the format allows per process; absent if the format sets no limit. */
  readonly maxIdsPerSecond?: number;
}

/** The levels of each promise that has levels, from weakest to strongest. */
export const STRENGTHS = {
  unique: ['process', 'cluster'],
  orderInProcess: ['none', 'increasing'],
  orderInCluster: ['none', 'k-sorted', 'real-time'],
  gaps: ['on-restart', 'on-fault', 'never'],
} as const;

/** Whether the level `offered` is at least as strong as `needed`. */
export function isAsStrong<P extends keyof typeof STRENGTHS>(
  promise: P,
  offered: (typeof STRENGTHS)[P][number],
  needed: (typeof STRENGTHS)[P][number],
): boolean {
  const levels: readonly string[] = STRENGTHS[promise];
  return levels.indexOf(offered) >= levels.indexOf(needed);
}

/** Whether every string consists of decimal digits, so that a numeric column can hold it. */
export function isDecimal({ prefix = '', alphabet }: Guarantees['text']): boolean {
  return prefix === '' && alphabet !== undefined && /^[0-9]+$/.test(alphabet);
}

/**
 * Whether every string is a UUID of 32 lower-case hex digits and four hyphens, so that a `uuid` column can
 * hold it.
 */
export function isUuid({
  prefix = '',
  alphabet,
  minLength,
  maxLength,
}: Omit<Guarantees['text'], 'pattern'>): boolean {
  const digits = [...(alphabet ?? '')].sort().join('');
  return prefix === '' && digits === '-0123456789abcdef' && minLength === 36 && maxLength === 36;
}

/** Freezes `guarantees` and its direct members, so that no caller can edit a promise, and returns it. */
export function defineGuarantees(guarantees: Guarantees): Guarantees {
  for (const part of Object.values(guarantees)) Object.freeze(part);
  return Object.freeze(guarantees);
}
