// Stable API: match on the code; messages can change in any release. Two lists, so that the class needs only
// one of them at run time.

/** The same call may succeed later. */
const RETRYABLE = {
  /** A synchronous call found no id in memory. Await `ready()` first. */
  ERR_IDS_NOT_READY: true,
  /** A backend is down or rejects requests; `cause` says which one and why. */
  ERR_IDS_UNAVAILABLE: true,
  /** A backend did not answer within the caller's deadline. */
  ERR_IDS_TIMEOUT: true,
  /** The clock moved further than the strategy can compensate for. */
  ERR_IDS_CLOCK: true,
} as const;

/** Code, configuration or a backend must be changed first. */
const FINAL = {
  /**
   * The configuration cannot work: an unknown strategy or option, a missing table or sequence row, an
   * unsuitable server.
   */
  ERR_IDS_CONFIG: true,
  /** The strategy's guarantees do not meet a declared need. */
  ERR_IDS_UNMET: true,
  /** The id range or the capacity of the format is used up. */
  ERR_IDS_EXHAUSTED: true,
  /** A store went back to an older state and could not be repaired. */
  ERR_IDS_REGRESSED: true,
  /** The stores belong to different environments (two tables, one Redis key). */
  ERR_IDS_REALM: true,
  /** The generator was closed. */
  ERR_IDS_CLOSED: true,
} as const;

export type IdErrorCode = keyof typeof RETRYABLE | keyof typeof FINAL;

export interface IdErrorOptions {
  readonly cause?: unknown;
}

/**
 * Any failure other than a programming error (`TypeError`, `RangeError`) or the caller's own abort reason.
 */
export class IdError extends Error {
  override readonly name = 'IdError';
  readonly code: IdErrorCode;
  /** Whether the same call may succeed later, with no change to code or configuration. */
  readonly retryable: boolean;

  constructor(code: IdErrorCode, message: string, options?: IdErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryable = code in RETRYABLE;
  }

  /**
   * `instanceof` also accepts instances of other copies of this class, like `isIdError`: some entries bundle
   * it, and a process may load two versions.
   */
  static override [Symbol.hasInstance](this: { readonly prototype: object }, value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method and have their own instances
    if (this !== IdError) return Object.prototype.isPrototypeOf.call(this.prototype, value as object);
    const { name, retryable } = (value ?? {}) as Partial<IdError>;
    return name === 'IdError' && typeof retryable === 'boolean';
  }
}

/** Whether `value` is an `IdError`, even one from another installed copy of this package. */
export function isIdError(value: unknown): value is IdError {
  return value instanceof IdError;
}
