import type { IdError } from '@ids/core';
import type { Demand } from './demand.js';
import type { LastFailure } from './failure.js';
import { callersAskedAgain, endOfTurn, PAUSE_MS, RetryLoop } from './retry-loop.js';
import type { Supply } from './supply.js';

export interface BurstSupplyOptions {
  readonly demand: Demand<unknown>;
  /** Where failures go. */
  readonly failure: LastFailure;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
}

/**
 * Gets ids for the calls that wait, by one attempt at a time, and gives them to these calls only. The more
 * calls wait, the more ids an attempt gets. Nothing is kept in memory, where it would be out of order.
 */
export abstract class BurstSupply implements Supply {
  readonly #options: BurstSupplyOptions;
  readonly #loop: RetryLoop;
  #answered = false;

  constructor(options: BurstSupplyOptions) {
    this.#options = options;
    const { demand, failure, signal } = options;
    this.#loop = new RetryLoop({
      // At the end of this turn of the event loop, so that all calls of the turn share the attempt.
      joined: endOfTurn,
      // A source that failed is asked until it answers, so that `health` does not stay `down`.
      needed: () => demand.wanted > 0 || (failure.current?.error.retryable ?? false),
      attempt: async (failures) => {
        if (demand.calls.wanted > 0) await this.take(failures);
        else {
          await this.ask(failures);
          demand.ready();
        }
        await callersAskedAgain();
      },
      failed: (cause) => {
        const error = this.asIdError(cause);
        failure.record(error);
        this.report(error);
        if (!error.retryable) demand.refuse(error);
      },
      pause: PAUSE_MS,
      signal,
    });
  }

  /** Whether the source has answered yet. */
  get answered(): boolean {
    return this.#answered;
  }

  get isReady(): boolean {
    return this.#answered && this.#options.failure.current === undefined;
  }

  replenish(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.ended;
  }

  /** Gets ids for the calls that wait now, after so many failures in a row. */
  protected abstract take(failures: number): Promise<void>;

  /** Asks the source whether it answers, for `ready`, and gets no ids. */
  protected abstract ask(failures: number): Promise<void>;

  /** The error for whatever an attempt threw. */
  protected abstract asIdError(cause: unknown): IdError;

  /** Tells the listener of a failure. */
  protected abstract report(error: IdError): void;

  /** To be called for each answer that can be used. */
  protected sourceAnswered(): void {
    this.#answered = true;
    this.#options.failure.clear();
    this.#options.demand.answered();
  }
}
