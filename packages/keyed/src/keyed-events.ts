import type { Counters, Health } from '@ids/core';
import type { NewReign, ReinstatedEvent, Segment } from '@ids/segment';
import { guardedListener } from '@ids/waiting';

/**
 * What happens inside a keyed generator, for logs. For metrics, use its counters: the number of keys has no
 * bound.
 */
export type KeyedEvent =
  /** A statement reserved `ids` ids in all, of `keys` keys, `newKeys` of which had none before. */
  | {
      readonly type: 'reserve';
      readonly name: string;
      readonly keys: number;
      readonly newKeys: number;
      readonly ids: number;
      readonly tookMs: number;
    }
  /** The source could not be reached; the next attempt follows after a pause. */
  | { readonly type: 'reserve-failed'; readonly name: string; readonly error: Error }
  /**
   * The source returned ids at or below `floor`, which was reserved before: it went back, and is raised.
   */
  | {
      readonly type: 'regression';
      readonly name: string;
      readonly key: string;
      readonly floor: number;
      readonly segment: Segment;
    }
  /**
   * The store has another history than when ids of these keys were last reserved, and skipped those that the
   * former store may have issued. Only the process whose reservation detected it gets this event.
   */
  | {
      readonly type: 'new-reign';
      readonly name: string;
      readonly cause: NewReign['cause'];
      readonly keys: readonly string[];
    }
  /** As for a sequence; each key skips ids when it is next used there. `maxId` is that of the family. */
  | ReinstatedEvent
  /** Ids were dropped unused, which is a gap in the sequence of the key. */
  | {
      readonly type: 'discard';
      readonly name: string;
      readonly key: string;
      readonly segment: Segment;
      readonly reason: string;
    }
  /** The store can be used, but is not set up to survive what `message` says. Emitted at the start. */
  | { readonly type: 'warning'; readonly name: string; readonly message: string };

/** May be async. If it throws or rejects, that becomes a process warning. */
export type KeyedListener = (event: KeyedEvent) => void;

/**
 * The counters of a keyed generator, over all keys. Only a shared dispenser has `takes` and `stateLosses`.
 */
export type KeyedCounters = Required<
  Pick<
    Counters,
    'idsIssued' | 'idsDiscarded' | 'refills' | 'refillSeconds' | 'refillFailures' | 'regressions' | 'newKeys'
  >
> &
  Pick<Counters, 'takes' | 'stateLosses'>;

/** Notes what happens inside one keyed generator, for `health` and `counters`, and passes it on. */
export interface KeyedNotes {
  /** The totals of all events so far. */
  readonly counts: Omit<KeyedCounters, 'idsIssued'>;
  /** For `health()`. */
  readonly regression: Pick<Health, 'lastRegression'>;
  /** Never throws. */
  readonly emit: KeyedListener;
}

/** The journal of a generator whose source emits no events of its own. */
export class KeyedJournal implements KeyedNotes {
  readonly #counts = {
    idsDiscarded: 0,
    refills: 0,
    refillSeconds: 0,
    refillFailures: 0,
    regressions: 0,
    newKeys: 0,
  };
  readonly #tell: KeyedListener;
  #regression: Health['lastRegression'];

  /** `listener` is the user's. */
  constructor(listener: KeyedListener | undefined) {
    this.#tell = guardedListener(listener);
  }

  get counts(): KeyedNotes['counts'] {
    return { ...this.#counts };
  }

  get regression(): KeyedNotes['regression'] {
    return this.#regression === undefined ? {} : { lastRegression: this.#regression };
  }

  readonly emit: KeyedListener = (event) => {
    const counts = this.#counts;
    switch (event.type) {
      case 'reserve':
        counts.refills += 1;
        counts.refillSeconds += event.tookMs / 1_000;
        counts.newKeys += event.newKeys;
        break;
      case 'reserve-failed':
        counts.refillFailures += 1;
        break;
      case 'discard':
        counts.idsDiscarded += event.segment.high - event.segment.low + 1;
        break;
      case 'regression': {
        const { key, segment, floor } = event;
        counts.regressions += 1;
        this.#note(
          `the source returned ${segment.low}..${segment.high} for key ${JSON.stringify(key)}, but ids up to ${floor} were reserved before`,
        );
        break;
      }
      case 'new-reign':
        counts.regressions += event.keys.length;
        this.#note(
          `the source has another history after a ${event.cause}: ids of ${event.keys.length} keys were skipped`,
        );
        break;
      case 'reinstated':
        counts.regressions += 1;
        this.#note(
          `a former primary counts as the primary again, in the reign ${event.reign}: each key skips ids`,
        );
        break;
    }
    this.#tell(event);
  };

  #note(message: string): void {
    this.#regression = { message, at: new Date() };
  }
}
