import type { IdError } from '@ids/core';

/** A failure, and when it happened. */
export interface Failure {
  readonly error: IdError;
  readonly at: Date;
}

/** The last failure of what calls wait for, until it works again. */
export class LastFailure {
  #current: Failure | undefined;

  /** Undefined while nothing is wrong. */
  get current(): Failure | undefined {
    return this.#current;
  }

  /** It failed just now. */
  record(error: IdError): void {
    this.#current = { error, at: new Date() };
  }

  /** It works. */
  clear(): void {
    this.#current = undefined;
  }
}
