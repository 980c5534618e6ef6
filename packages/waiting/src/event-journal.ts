import type { Health } from '@ids/core';
import { guardedListener } from './guarded-listener.js';
import type { WaitEvent } from './wait-report.js';

/** Notes what happens inside one generator, for `health` and `counters`, and passes it on. */
export abstract class EventJournal<Event> {
  protected readonly totals = {
    refills: 0,
    refillSeconds: 0,
    refillFailures: 0,
    regressions: 0,
    waits: 0,
    waitSeconds: 0,
  };
  #lastRegression: Health['lastRegression'];
  /** Never throws. */
  readonly emit: (event: Event) => void;

  /** `listener` is the user's. */
  constructor(listener: ((event: Event) => void) | undefined) {
    const pass = guardedListener(listener);
    this.emit = (event) => {
      this.note(event);
      pass(event);
    };
  }

  /** For `health()`: what last showed that the store went back or has another history. */
  get regression(): Pick<Health, 'lastRegression'> {
    return this.#lastRegression === undefined ? {} : { lastRegression: this.#lastRegression };
  }

  protected abstract note(event: Event): void;

  protected refilled(tookMs: number): void {
    this.totals.refills += 1;
    this.totals.refillSeconds += tookMs / 1_000;
  }

  protected regressed(message: string): void {
    this.totals.regressions += 1;
    this.#lastRegression = { message, at: new Date() };
  }

  protected waited({ calls, waitedMs }: WaitEvent): void {
    this.totals.waits += calls;
    this.totals.waitSeconds += waitedMs / 1_000;
  }
}
