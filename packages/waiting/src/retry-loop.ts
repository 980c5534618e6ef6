import { pause as delay } from '@ids/core/strategy';

export interface Pause {
  /** After the first failure, in milliseconds. */
  readonly first: number;
  /** After many, in milliseconds. */
  readonly last: number;
}

/** Between attempts at a database or another server. */
export const PAUSE_MS: Pause = { first: 50, last: 1_000 };

export interface RetryLoopOptions {
  /**
   * Resolves when the first attempt of a run may begin, so that what is asked for in the same turn shares it.
   */
  readonly joined: () => Promise<void>;
  /** Whether another attempt is needed; `failed`: the last one of this run failed. */
  readonly needed: (failed: boolean) => boolean;
  /** One attempt, after so many failures in a row. */
  readonly attempt: (failures: number) => Promise<void>;
  /** An attempt failed. The next one follows after a pause. */
  readonly failed: (error: unknown) => void;
  readonly pause: Pause;
  /** Called when a run ends, in the same turn as the last check whether another attempt is needed. */
  readonly ended?: () => void;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
}

/** Makes attempts, one at a time, as long as they are needed, with a pause after each failure. */
export class RetryLoop {
  readonly #options: RetryLoopOptions;
  #running = false;
  #ended = Promise.resolve();

  constructor(options: RetryLoopOptions) {
    this.#options = options;
  }

  /** Whether a run is in progress. */
  get running(): boolean {
    return this.#running;
  }

  /** Resolves when no attempt is in progress any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Starts a run, unless one is in progress already. */
  start(): void {
    if (this.#running || this.#options.signal.aborted) return;
    this.#running = true;
    this.#ended = this.#run();
  }

  async #run(): Promise<void> {
    const { joined, needed, attempt, failed, pause, ended, signal } = this.#options;
    await joined();
    for (let failures = 0; !signal.aborted && needed(failures > 0); ) {
      try {
        await attempt(failures);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failed(error);
        await delay(backOffMs(failures++, pause), { ref: false, signal });
      }
    }
    // In the same turn as the check of the loop: a call that comes after it starts the next run.
    this.#running = false;
    ended?.();
  }
}

/** Callers that were served may ask again at once: resolves when they have done so. */
export function callersAskedAgain(): Promise<void> {
  return new Promise(globalThis.process?.nextTick ?? ((resolve) => setTimeout(resolve, 0)));
}

/** Resolves at the end of this turn of the event loop, or soon after it where there is no `setImmediate`. */
export function endOfTurn(): Promise<void> {
  return new Promise(globalThis.setImmediate ?? ((resolve) => setTimeout(resolve, 0)));
}

/**
 * How long to wait after `failures` failures in a row, in milliseconds: twice as long each time. Half of it
 * is random, so that processes that failed together do not retry together.
 */
export function backOffMs(failures: number, { first, last }: Pause): number {
  return Math.min(last, first * 2 ** failures) * (0.5 + Math.random() / 2);
}

const LONGEST_ATTEMPT_MS = 30_000;

/**
 * How long an attempt may take after `failures` failures in a row, in milliseconds: half of what callers
 * wait, so that one lost answer does not make any of them time out; then longer, so that even a slow source
 * can answer in the end.
 */
export function attemptMs(deadlineMs: number, failures: number): number {
  return Math.min(LONGEST_ATTEMPT_MS, Math.ceil(deadlineMs / 2) * 2 ** failures);
}
