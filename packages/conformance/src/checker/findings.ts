/** What can be required of a history. `docs/guarantees.md` defines each word. */
export type HistoryLevel =
  /** Every call settled within its time. Always checked. */
  | 'settled'
  /** No id was given twice. */
  | 'unique'
  /** Per generator: if A completed before B was invoked then A < B; ids of one batch rise. */
  | 'increasing'
  /** Per generator: calls get rising ids in the order in which they were made, also while others are pending. */
  | 'fifo'
  /** Over all generators: if A completed before B was invoked then A < B. */
  | 'real-time'
  /** Over all generators: if A completed more than `skewMs` before B was invoked then A < B. */
  | 'k-sorted';

/** How many violations of one level are written out; the rest is counted only. */
const DESCRIBED = 5;

/** Counts violations and keeps the sentences of the first few. */
export class Findings {
  readonly counts: Record<HistoryLevel, number> = {
    settled: 0,
    unique: 0,
    increasing: 0,
    fifo: 0,
    'real-time': 0,
    'k-sorted': 0,
  };
  readonly messages: string[] = [];

  add(level: HistoryLevel, describe: () => string): void {
    this.counts[level] += 1;
    if (this.counts[level] <= DESCRIBED) this.messages.push(`${level}: ${describe()}`);
  }
}
