/** The last piece of work of each transaction that has one under way; it never rejects. */
const last = new WeakMap<object, Promise<void>>();

/**
 * Does `work` once all earlier work on the same transaction has settled, at once if there is none. A number
 * may take several statements. On MySQL and MariaDB, those of two calls would mix: the first call would read
 * the number of the second one, which would take another, so that a number is skipped.
 */
export function inTurn<T>(tx: object, work: () => Promise<T>): Promise<T> {
  const before = last.get(tx);
  const turn = before === undefined ? work() : before.then(work);
  const settled = turn.then(forget, forget);
  last.set(tx, settled);
  return turn;

  function forget(): void {
    if (last.get(tx) === settled) last.delete(tx);
  }
}
