import { withTimeout } from '@ids/waiting';

/** How often a process stores that a family is used, in milliseconds. */
const EVERY_MS = 60_000;
/** How long it may take, in milliseconds: whoever closes a source waits for it. */
const LONGEST_MS = 2_000;

/**
 * Stores in the rows of families that they are used, about once a minute. After a change of the reign, the
 * row of a family says since when its keys may have lost ids; without such a note, since an earlier moment.
 * So it is never waited for, and one that fails costs no more than ids that are skipped.
 */
export class UseNotes {
  readonly #note: (family: string, signal: AbortSignal) => Promise<void>;
  readonly #next = new Map<string, number>();
  readonly #pending = new Set<Promise<void>>();

  /** `note` stores it. */
  constructor(note: (family: string, signal: AbortSignal) => Promise<void>) {
    this.#note = note;
  }

  /** Call it when the row of a family was read: how old it is, in seconds; by default, just written. */
  read(family: string, ageSeconds = 0): void {
    this.#next.set(family, performance.now() + EVERY_MS - 1_000 * ageSeconds);
  }

  /** Call it when ids of a family were reserved. */
  used(family: string): void {
    const now = performance.now();
    const next = this.#next.get(family);
    if (next === undefined) this.read(family);
    if (next === undefined || now < next) return;
    this.read(family);
    const tooLate = (): Error => new Error(`not stored within ${LONGEST_MS} ms`);
    const noted = withTimeout(LONGEST_MS, undefined, tooLate, (signal) => this.#note(family, signal))
      .catch(() => undefined)
      .finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  /** Resolves when nothing is being stored, within two seconds. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
