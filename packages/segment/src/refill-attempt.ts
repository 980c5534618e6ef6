import { IdError, isIdError } from '@ids/core';
import type { RefillFailure } from './health.js';
import { type ReserveAboveOptions, reserveAbove } from './reserve-above.js';
import type { ExpiringSegment } from './segment.js';
import { type SegmentSource, sourceTooSlow, within } from './segment-source.js';

export interface RefillAttempt extends Omit<ReserveAboveOptions, 'signal' | 'timeoutMs'> {
  readonly source: SegmentSource;
  readonly name: string;
  readonly size: number;
  /** As in `reserveAbove`. */
  readonly floor: number;
  readonly timeoutMs: number;
  /** Aborts when the dispenser is closed. */
  readonly signal: AbortSignal;
}

/**
 * One reservation of a dispenser: rejects with `ERR_IDS_TIMEOUT` after `timeoutMs`. `use` is called with the
 * segment even if it arrives later than that, from a source that ignores its signal.
 */
export function attemptRefill<T>(
  { source, name, size, floor, timeoutMs, signal: parent, ...options }: RefillAttempt,
  use: (segment: ExpiringSegment) => T,
): Promise<T> {
  return within(
    timeoutMs,
    parent,
    () => sourceTooSlow(name, timeoutMs),
    async (signal) => use(await reserveAbove(source, name, size, floor, { ...options, signal, timeoutMs })),
  );
}

/**
 * The failure of a refill, as of now. What is not an `IdError` came from the source, which may be anybody's.
 */
export function refillFailure(name: string, cause: unknown): RefillFailure {
  const error = isIdError(cause)
    ? cause
    : new IdError('ERR_IDS_UNAVAILABLE', `sequence "${name}": its source failed`, { cause });
  return { error, at: new Date() };
}

/**
 * How long to wait after `failures` failures in a row, in milliseconds: twice as long each time. Half of it
 * is random, so that processes that failed together do not retry together.
 */
export function backOffMs(
  failures: number,
  { first, last }: { readonly first: number; readonly last: number },
): number {
  return Math.min(last, first * 2 ** failures) * (0.5 + Math.random() / 2);
}
