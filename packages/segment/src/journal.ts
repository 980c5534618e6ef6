import { EventJournal } from '@ids/waiting';
import type { SegmentCounters, SegmentEvent } from './events.js';
import { ExhaustionForecast } from './exhaustion-forecast.js';

/** The journal of a generator of segments. Events that only one strategy has are only passed on. */
export class Journal<Event extends { readonly type: string } = SegmentEvent> extends EventJournal<
  Event | SegmentEvent
> {
  readonly #forecast = new ExhaustionForecast();
  #idsDiscarded = 0;

  /** The totals of all events so far. */
  get counts(): Omit<SegmentCounters, 'idsIssued' | 'notReady'> {
    return { ...this.totals, idsDiscarded: this.#idsDiscarded };
  }

  /** When the last id of the range will be reached; undefined before the second segment. */
  get exhaustedAt(): Date | undefined {
    return this.#forecast.at(performance.now());
  }

  protected override note(any: Event | SegmentEvent): void {
    const event = any as SegmentEvent;
    switch (event.type) {
      case 'refill':
        this.refilled(event.tookMs);
        this.#forecast.note(event.segment, performance.now());
        break;
      case 'refill-failed':
        this.totals.refillFailures += 1;
        break;
      case 'regression':
        this.regressed(
          `the source returned ${event.segment.low}..${event.segment.high}, but ids up to ${event.floor} were reserved before`,
        );
        break;
      case 'new-reign':
        this.regressed(
          `the source has another history after a ${event.cause}: ${event.skipped} ids below ${event.segment.low} were skipped`,
        );
        break;
      case 'reinstated':
        this.regressed(
          `a former primary counts as the primary again, in the reign ${event.reign}: ${event.skipped} ids up to ${event.maxId} were skipped`,
        );
        break;
      case 'discard':
        this.#idsDiscarded += event.segment.high - event.segment.low + 1;
        break;
      case 'wait':
        this.waited(event);
        break;
    }
  }
}
