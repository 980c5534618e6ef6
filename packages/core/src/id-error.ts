// Stable API: match on the code; messages may change in any release. In two lists, because whoever only
// throws needs one of them.

/** The same call can succeed later. */
const RETRYABLE = {
  /** A synchronous call found nothing in memory; await `ready()` first. */
  ERR_IDS_NOT_READY: true,
  /** A backend is down or refuses; `cause` says which and why. */
  ERR_IDS_UNAVAILABLE: true,
  /** A backend did not answer within the caller's deadline. */
  ERR_IDS_TIMEOUT: true,
  /** The clock moved further than the strategy can absorb. */
  ERR_IDS_CLOCK: true,
} as const;

/** Somebody has to change code or configuration first. */
const FINAL = {
  /**
   * The configuration cannot work: unknown strategy or option, missing table or sequence row, wrong server.
   */
  ERR_IDS_CONFIG: true,
  /** A declared need is not met by the strategy's guarantees. */
  ERR_IDS_UNMET: true,
  /** The id range or the format's budget is used up. */
  ERR_IDS_EXHAUSTED: true,
  /** A store went back to an older state and could not be healed. */
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

/** Every error that is not the programmer's (`TypeError`, `RangeError`) or the caller's own abort reason. */
export class IdError extends Error {
  override readonly name = 'IdError';
  readonly code: IdErrorCode;
  /** Whether the same call can succeed later without anybody changing code or configuration. */
  readonly retryable: boolean;

  constructor(code: IdErrorCode, message: string, options?: IdErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryable = code in RETRYABLE;
  }

  /**
   * `instanceof` agrees with `isIdError`: some entries have this class built in, and a
   * process may load two versions.
   */
  static override [Symbol.hasInstance](this: { readonly prototype: object }, value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one inherits the method, and has instances of its own
    if (this !== IdError) return Object.prototype.isPrototypeOf.call(this.prototype, value as object);
    const { name, retryable } = (value ?? {}) as Partial<IdError>;
    return name === 'IdError' && typeof retryable === 'boolean';
  }
}

/** Recognises an `IdError`, also one of another installed copy of this package. */
export function isIdError(value: unknown): value is IdError {
  return value instanceof IdError;
}
