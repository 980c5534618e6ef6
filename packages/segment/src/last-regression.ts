import type { Health } from '@ids/core';
import type { SegmentEvent } from './segment-event.js';

/** Remembers, for `health`, when the source was last found to have gone back or to have another history. */
export class LastRegression {
  #seen: Health['lastRegression'];

  note(event: SegmentEvent): void {
    const message = messageOf(event);
    if (message !== undefined) this.#seen = { message, at: new Date() };
  }

  /** For `health()`. */
  get facts(): Pick<Health, 'lastRegression'> {
    return this.#seen === undefined ? {} : { lastRegression: this.#seen };
  }
}

function messageOf(event: SegmentEvent): string | undefined {
  switch (event.type) {
    case 'regression':
      return `the source gave ${event.segment.low}..${event.segment.high} although ids up to ${event.floor} were reserved before`;
    case 'new-reign':
      return `the source has another history after a ${event.cause}: ${event.skipped} ids below ${event.segment.low} were skipped`;
    default:
      return undefined;
  }
}
