import type { Health, IdError } from '@ids/core';

/** What became of the last refill, when it failed. */
export interface RefillFailure {
  readonly error: IdError;
  readonly at: Date;
}

export interface SegmentState {
  /** Ids that can be given without asking the source. */
  readonly remaining: number;
  /** Ids used per second at present. */
  readonly idsPerSecond: number;
  readonly exhaustedAt: Date | undefined;
  readonly failure: RefillFailure | undefined;
}

/** The health of an open generator that holds segments. */
export function segmentHealth({ remaining, idsPerSecond, exhaustedAt, failure }: SegmentState): Health {
  const [withIds, without] =
    failure === undefined ? (['ok', 'not-ready'] as const) : (['degraded', 'down'] as const);
  return {
    status: remaining > 0 ? withIds : without,
    remaining,
    ...(idsPerSecond > 0 && { secondsLeft: remaining / idsPerSecond }),
    ...(exhaustedAt !== undefined && { exhaustedAt }),
    ...(failure !== undefined && {
      lastError: { code: failure.error.code, message: failure.error.message, at: failure.at },
    }),
  };
}
