import { KeyedJournal, type KeyedListener, type KeyedNotes } from '@ids/keyed';
import { guardedListener } from '@ids/waiting';
import type { KeyedSegmentRedisDbEvent, KeyedSegmentRedisDbListener } from './events.js';

/**
 * The notes of a keyed generator over Redis. What its dispenser reserves, it takes from Redis; segments are
 * those that come from the database.
 */
export class RedisKeyedJournal implements KeyedNotes {
  readonly #journal: KeyedJournal;
  readonly #tell: KeyedSegmentRedisDbListener;
  readonly #counts = { refills: 0, refillSeconds: 0, stateLosses: 0 };
  #dropped = 0;

  /** `listener` is the user's. */
  constructor(listener: KeyedSegmentRedisDbListener | undefined) {
    this.#tell = guardedListener(listener);
    this.#journal = new KeyedJournal(this.#tell as KeyedListener);
  }

  get counts(): KeyedNotes['counts'] {
    const { refills: takes, idsDiscarded, ...told } = this.#journal.counts;
    return { ...told, ...this.#counts, takes, idsDiscarded: idsDiscarded + this.#dropped };
  }

  get regression(): KeyedNotes['regression'] {
    return this.#journal.regression;
  }

  readonly emit = (event: KeyedSegmentRedisDbEvent): void => {
    switch (event.type) {
      case 'refill':
        this.#counts.refills += event.keys;
        this.#counts.refillSeconds += event.tookMs / 1_000;
        break;
      case 'void':
        this.#counts.stateLosses += event.keys;
        this.#dropped += event.dropped;
        break;
      case 'silent-connection':
        break;
      default:
        this.#journal.emit(event);
        return;
    }
    this.#tell(event);
  };
}
