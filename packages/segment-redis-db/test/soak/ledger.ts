import { checkHistory, type History, type HistoryLevel } from '@ids/conformance';

const IN_ORDER = ['unique', 'real-time', 'increasing', 'fifo'] as const;
const IN_SPLIT_BRAIN = ['unique', 'increasing', 'fifo'] as const;

/** Judges each round by itself, exactly, and all rounds together. */
export class Ledger {
  readonly counts = new Map<HistoryLevel | 'across rounds', number>();
  readonly messages: string[] = [];
  readonly failures = new Map<string, number>();
  /** The ids of each round, in no order. */
  readonly #rounds: Float64Array[] = [];
  #greatest = 0;

  get ids(): number {
    return this.#rounds.reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Adds a round, in which a split brain frees from the order between processes.
   * Returns whether it was sound.
   */
  add(history: History, { split }: { readonly split: boolean }): boolean {
    const verdict = checkHistory(history, { levels: split ? IN_SPLIT_BRAIN : IN_ORDER });
    for (const [level, count] of Object.entries(verdict.counts)) this.#count(level as HistoryLevel, count);
    this.messages.push(...verdict.messages);
    for (const { code = 'no code' } of history.failures) {
      this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
    }
    const ids = Float64Array.from(history.records.flatMap((record) => record.ids as number[])).sort();
    // A round begins when the one before it has ended: all of its ids are greater.
    const late = ids.findIndex((id) => id > this.#greatest);
    const behind = late < 0 ? ids.length : late;
    this.#count('across rounds', behind);
    if (behind > 0) this.messages.push(`id ${ids[0]} came in a round after one that gave ${this.#greatest}`);
    this.#greatest = Math.max(this.#greatest, ids.at(-1) ?? 0);
    this.#rounds.push(ids);
    return verdict.ok && behind === 0;
  }

  #count(what: HistoryLevel | 'across rounds', count: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }
}
