/**
 * `calls` calls found too few ids and had to wait, the longest for `waitedMs`, until they were served or
 * gave up.
 */
export interface WaitEvent {
  readonly type: 'wait';
  readonly name: string;
  readonly calls: number;
  readonly waitedMs: number;
}

/** Reports how long calls had to wait: one event for all whose wait ended in the same turn. */
export class WaitReport {
  readonly #name: string;
  readonly #emit: (event: WaitEvent) => void;
  #calls = 0;
  #longestMs = 0;

  constructor(name: string, emit: (event: WaitEvent) => void) {
    this.#name = name;
    this.#emit = emit;
  }

  /** Settles as `waiting` does. */
  async of<T>(waiting: Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await waiting;
    } finally {
      // The calls that are settled in the same turn are before this one in the queue of microtasks.
      if (this.#calls++ === 0) queueMicrotask(() => this.#report());
      this.#longestMs = Math.max(this.#longestMs, performance.now() - since);
    }
  }

  #report(): void {
    const [calls, waitedMs] = [this.#calls, this.#longestMs];
    this.#calls = 0;
    this.#longestMs = 0;
    this.#emit({ type: 'wait', name: this.#name, calls, waitedMs });
  }
}
