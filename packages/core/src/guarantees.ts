/**
 * What a strategy promises, as data: read by the conformance kit, the bench, the config check and the docs.
 * A claim that the kit does not test is a defect. `docs/guarantees.md` defines each word.
 */
export interface Guarantees {
  /** Among whom no id is given twice: all processes that share the backends, or the ids of one process. */
  readonly unique: 'cluster' | 'process';
  readonly order: {
    /** Ids of one generator, in the order in which they were given. */
    readonly process: 'increasing' | 'none';
    /**
     * Ids of all processes together. `real-time`: if A was returned before B was asked for, A < B.
     * `k-sorted`: A < B holds once they lie more than `skewMs` apart.
     */
    readonly cluster: 'real-time' | 'k-sorted' | 'none';
    /** For `k-sorted`: milliseconds, for processes whose clocks are in step. */
    readonly skewMs?: number;
  };
  /** When numbers may be missing from the sequence. */
  readonly gaps: 'never' | 'on-restart' | 'on-fault';
  /**
   * The most ids that are set aside and not given at any moment, and so lost with the process or store that
   * holds them; 0 where none are set aside, absent where nothing bounds it.
   */
  readonly maxIdsLost?: number;
  /** Whether `nextSync` and `nextBatchSync` exist. */
  readonly sync: boolean;
  readonly idType: 'string' | 'number' | 'bigint';
  readonly text: {
    /** Matches `String(id)` of every id, whole. For validation: programs read the facts below instead. */
    readonly pattern: RegExp;
    /** What every string begins with; absent where nothing is common to all. */
    readonly prefix?: string;
    /** Every character that may follow the prefix; absent where any may. */
    readonly alphabet?: string;
    /** The shortest `String(id)`, prefix included, in characters; absent where nothing bounds it. */
    readonly minLength?: number;
    /** The longest `String(id)`, prefix included, in characters. */
    readonly maxLength: number;
    /** Whether comparing strings by code unit gives the order of `order`. */
    readonly sortable: boolean;
    /**
     * Whether two ids may differ in the case of letters only, so that columns, file names and caches must
     * distinguish case. Absent means false: no letter comes in both cases at one place.
     */
    readonly caseSensitive?: boolean;
  };
  readonly backends: readonly ('redis' | 'sql')[];
  /** What a stranger who sees ids can learn from them. */
  readonly discloses: readonly ('time' | 'volume' | 'host' | 'address' | 'process')[];
  /** A ceiling of the format, per process; absent where only the machine limits. */
  readonly maxIdsPerSecond?: number;
}

/** The levels of the promises that have some, from weakest to strongest. */
export const STRENGTHS = {
  unique: ['process', 'cluster'],
  orderInProcess: ['none', 'increasing'],
  orderInCluster: ['none', 'k-sorted', 'real-time'],
  gaps: ['on-restart', 'on-fault', 'never'],
} as const;

/** Whether `offered` is at least as strong as `needed`. */
export function isAsStrong<P extends keyof typeof STRENGTHS>(
  promise: P,
  offered: (typeof STRENGTHS)[P][number],
  needed: (typeof STRENGTHS)[P][number],
): boolean {
  const levels: readonly string[] = STRENGTHS[promise];
  return levels.indexOf(offered) >= levels.indexOf(needed);
}

/** Whether every string is made of decimal digits only, so that a column of numbers can hold it. */
export function isDecimal({ prefix = '', alphabet }: Guarantees['text']): boolean {
  return prefix === '' && alphabet !== undefined && /^[0-9]+$/.test(alphabet);
}

/**
 * Whether every string is a UUID, 32 lower-case hex digits and four hyphens, so that a column of type `uuid`
 * can hold it.
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

/** Returns `guarantees` frozen, with all that is in it: a promise that a caller could edit would be none. */
export function defineGuarantees(guarantees: Guarantees): Guarantees {
  for (const part of Object.values(guarantees)) Object.freeze(part);
  return Object.freeze(guarantees);
}
