/** The calls of a transaction that have not settled. */
interface Queue {
  last?: Promise<unknown>;
}

const queues = new WeakMap<object, Queue>();

/**
 * Does `work` once all earlier work on the same transaction has settled, at once if there is none. A number
 * may take several statements. On MySQL and MariaDB, those of two calls would mix: the first call would read
 * the number of the second one, which would take another, so that a number is skipped.
 *
 * Work that rejects also rejects all that waits behind it, with the same error. Callers roll back then, and
 * what still waited would run in the next transaction of the connection. Work that comes later does not wait.
 */
export function inTurn<T>(tx: object, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(tx) ?? {};
  const turn = queue.last === undefined ? work() : queue.last.then(work);
  queue.last = turn;
  queues.set(tx, queue);
  turn.then(() => {
    if (queue.last === turn) close();
  }, close);
  return turn;

  function close(): void {
    if (queues.get(tx) === queue) queues.delete(tx);
  }
}
