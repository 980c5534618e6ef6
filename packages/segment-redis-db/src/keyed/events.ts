import { IdError } from '@ids/core';
import type { KeyedEvent } from '@ids/keyed';
import type { VoidReason } from '../events.js';
import type { SilenceEvent } from '../silence.js';

/** What happens inside a keyed generator over Redis, for logs. */
export type KeyedSegmentRedisDbEvent =
  | KeyedEvent
  /** Redis left calls unanswered, the first time since it answered one. */
  | SilenceEvent
  /** Segments of `keys` keys, `ids` ids in all, came from the database. */
  | {
      readonly type: 'refill';
      readonly name: string;
      readonly keys: number;
      readonly ids: number;
      readonly tookMs: number;
    }
  /**
   * The records of `keys` keys in Redis could not be trusted. New ones begin above them; the `dropped` ids
   * that were left in them, as far as they still showed it, are a gap.
   */
  | {
      readonly type: 'void';
      readonly name: string;
      readonly reason: VoidReason;
      readonly keys: number;
      readonly dropped: number;
      /** What happened, and what to do, for a log. */
      readonly message: string;
    };

export type KeyedSegmentRedisDbListener = (event: KeyedSegmentRedisDbEvent) => void;

export function noAnswer(name: string, ms: number): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `sequence "${name}": the database did not answer within ${Math.round(ms)} ms`,
  );
}
