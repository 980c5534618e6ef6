/** What a process remembers of a key. */
export interface Remembered {
  /** The greatest id that it got. */
  readonly last: number;
  /** The greatest mark that it saw, at least `last`. */
  readonly top: number;
}

const NOTHING: Remembered = { last: 0, top: 0 };

/** How many keys are remembered at least, once as many were used; twice as many at most. */
const KEYS = 20_000;

/** How long a key is remembered at least after its last use, unless many others were used since. */
const FORGET_MS = 60_000;

/**
 * The greatest ids of the keys that were used last. They show that a record in Redis went back within one
 * reign, and that a row of the database did. A key that is forgotten loses that second opinion: what is left
 * are the guards in the record and in the row.
 *
 * Two halves, of which the older one is dropped as a whole: a note costs one entry, and idle keys none.
 */
export class KeyMemory {
  #young = new Map<string, Remembered>();
  #old = new Map<string, Remembered>();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit = KEYS) {
    this.#limit = limit;
  }

  of(key: string): Remembered {
    return this.#young.get(key) ?? this.#old.get(key) ?? NOTHING;
  }

  /** Never lowers what is remembered: `known`, which is what `of` returned. */
  note(key: string, last: number, top: number, known = this.of(key)): void {
    const highest = Math.max(known.last, last);
    this.#young.set(key, { last: highest, top: Math.max(known.top, top, highest) });
    if (this.#young.size >= this.#limit) this.#turn();
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#turn(), FORGET_MS);
      this.#timer.unref();
    }
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#young.clear();
    this.#old.clear();
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    if (this.#old.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
