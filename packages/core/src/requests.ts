/** The most ids one `nextBatch` call may ask for, inclusive. An array of that many numbers takes 8 MB. */
export const MAX_BATCH = 1_000_000;

/** Throws a `RangeError` unless `count` is a whole number from 0 to `MAX_BATCH`. */
export function assertBatchCount(count: number): void {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BATCH) {
    throw new RangeError(`count must be a whole number from 0 to ${MAX_BATCH}, got ${String(count)}`);
  }
}

/**
 * Resolves as `promise` does, unless `signal` aborts first: then rejects with `signal.reason`.
 * The work behind `promise` goes on; a rejection of it after the abort is swallowed, since
 * nobody waits for it any more.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const forget = signal.aborted ? undefined : onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}

/** The callbacks that share the one listener on a signal. */
interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls `callback`, which must not throw, when `signal` aborts; returns a function that takes it back. The
 * signal must not have aborted yet. All callbacks of a signal share one listener: `addEventListener` and
 * `removeEventListener` look through all listeners that are there, so a listener for each of N calls would
 * take time in proportion to N².
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const watch = watches.get(signal) ?? startWatch(signal);
  // A function of its own, so that the same callback counts twice when it is given twice.
  const own = (): void => callback();
  watch.callbacks.add(own);
  return () => {
    if (!watch.callbacks.delete(own) || watch.callbacks.size > 0) return;
    watches.delete(signal);
    signal.removeEventListener('abort', watch.listener);
  };
}

function startWatch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    watches.delete(signal);
    for (const callback of callbacks) {
      callbacks.delete(callback);
      callback();
    }
  };
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  signal.addEventListener('abort', listener, { once: true });
  return watch;
}
