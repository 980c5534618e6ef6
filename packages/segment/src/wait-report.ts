import type { SegmentListener } from './segment-event.js';

/** Tells how long callers had to wait: one event for all whose wait ended in the same turn. */
export class WaitReport {
  readonly #name: string;
  readonly #emit: SegmentListener;
  #calls = 0;
  #longestMs = 0;

  constructor(name: string, emit: SegmentListener) {
    this.#name = name;
    this.#emit = emit;
  }

  /** Settles as `waiting` does. */
  async of<T>(waiting: Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await waiting;
    } finally {
      // Whoever is settled in the same turn has its place in the queue of microtasks before this one.
      if (this.#calls++ === 0) queueMicrotask(() => this.#tell());
      this.#longestMs = Math.max(this.#longestMs, performance.now() - since);
    }
  }

  #tell(): void {
    const [calls, waitedMs] = [this.#calls, this.#longestMs];
    this.#calls = 0;
    this.#longestMs = 0;
    this.#emit({ type: 'wait', name: this.#name, calls, waitedMs });
  }
}
