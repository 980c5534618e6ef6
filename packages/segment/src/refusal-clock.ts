import type { Origin } from '@ids/store';

/** How long a former primary is refused by default: longer than a manager takes to fence one. */
export const DEFAULT_REFUSE_MS = 60_000;

/**
 * Of refusals that are further apart than this, the later one is the first: nobody looked in between. An
 * attempt takes up to half of it, and the pause after it a second.
 */
const LONGEST_GAP_MS = 60_000;

/** For how long a dispenser has met a former primary, and nothing of the reign that followed. */
export class RefusalClock {
  readonly #limitMs: number;
  #refused: Origin | undefined;
  #since = 0;
  #last = 0;

  /** `limitMs`: how long it is refused. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /**
   * The row that was refused last, if that was for long enough: then its server is no former primary, but the
   * primary again. Otherwise undefined.
   */
  get outlasted(): Origin | undefined {
    return this.#last - this.#since >= this.#limitMs ? this.#refused : undefined;
  }

  /** A row was refused just now. Another row than before, unless it has followed that one, begins anew. */
  refused(row: Origin): void {
    const now = performance.now();
    const [before] = this.#refused?.reigns ?? [];
    const goesOn = before !== undefined && row.reigns?.includes(before) && now - this.#last <= LONGEST_GAP_MS;
    if (!goesOn) this.#since = now;
    this.#refused = row;
    this.#last = now;
  }

  /** The reign that followed still answers, as far as anybody knows. */
  stop(): void {
    this.#refused = undefined;
  }
}
