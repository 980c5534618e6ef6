/** How often a process stores that a family is used, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Stores in the rows of families that they are used, about once a minute. After a change of the reign, the
 * row of a family says since when its keys may have lost ids; without such a note, since an earlier moment.
 * So it is never waited for, and one that fails costs no more than ids that are skipped.
 */
export class UseNotes {
  readonly #note: (family: string) => Promise<void>;
  readonly #next = new Map<string, number>();
  readonly #pending = new Set<Promise<void>>();

  /** `note` stores it. */
  constructor(note: (family: string) => Promise<void>) {
    this.#note = note;
  }

  /** Call it when ids of a family were reserved. */
  used(family: string): void {
    const now = performance.now();
    if (now < (this.#next.get(family) ?? 0)) return;
    this.#next.set(family, now + EVERY_MS);
    const noted = this.#note(family)
      .catch(() => undefined)
      .finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  /** Resolves when nothing is being stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
