import { IdError } from './id-error.js';

/** The closed state of one generator. Every strategy holds one, so that closing means the same everywhere. */
export class Lifecycle {
  readonly #strategy: string;
  readonly #controller = new AbortController();
  #closed = false;
  #closing = Promise.resolve();

  constructor(strategy: string) {
    this.#strategy = strategy;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Aborts, with the `ERR_IDS_CLOSED` error as its reason, when `close` is called:
   * hang background work on it.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  closedError(): IdError {
    return closedError(this.#strategy);
  }

  assertOpen(): void {
    if (this.#closed) throw this.closedError();
  }

  /** Runs `release` once; later calls return the first one's promise. */
  close(release?: () => Promise<void>): Promise<void> {
    if (!this.#closed) {
      // Set before anything runs, so that calls made by abort listeners already find the generator closed.
      this.#closed = true;
      this.#controller.abort(this.closedError());
      if (release !== undefined) this.#closing = release();
    }
    return this.#closing;
  }
}

export function closedError(strategy: string): IdError {
  return new IdError('ERR_IDS_CLOSED', `${strategy}: this generator was closed`);
}
