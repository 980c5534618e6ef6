import type { Health } from '@ids/core';
import type { Failure } from './failure.js';

export interface FrontState {
  /** Ids that can be issued without a wait. */
  readonly remaining: number;
  /** How long they last, in seconds; undefined while that is unknown. */
  readonly secondsLeft?: number | undefined;
  readonly exhaustedAt?: Date | undefined;
  readonly failure: Failure | undefined;
}

/** The health of an open generator whose calls may have to wait. */
export function healthOf({ remaining, secondsLeft, exhaustedAt, failure }: FrontState): Health {
  const [withIds, without] =
    failure === undefined ? (['ok', 'not-ready'] as const) : (['degraded', 'down'] as const);
  return {
    status: remaining > 0 ? withIds : without,
    remaining,
    ...(secondsLeft !== undefined && { secondsLeft }),
    ...(exhaustedAt !== undefined && { exhaustedAt }),
    ...(failure !== undefined && {
      lastError: { code: failure.error.code, message: failure.error.message, at: failure.at },
    }),
  };
}
