/** The most ids one `nextBatch` call can request, inclusive. An array of that many numbers takes 8 MB. */
export const MAX_BATCH = 1_000_000;

/** Throws a `RangeError` unless `count` is a whole number from 0 to `MAX_BATCH`. */
export function assertBatchCount(count: number): void {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BATCH) {
    throw new RangeError(`count must be a whole number from 0 to ${MAX_BATCH}, got ${String(count)}`);
  }
}

/**
 * Settles like `promise`, but rejects with `signal.reason` if `signal` aborts first. The work behind
 * `promise` continues; if it rejects after the abort, the rejection is ignored.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const forget = signal.aborted ? undefined : onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}

/** The callbacks that share the one listener of a signal. */
interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls `callback`, which must not throw, when `signal` aborts. Returns a function that removes it. The
 * signal must not be aborted yet. All callbacks of a signal share one listener, because `addEventListener`
 * and `removeEventListener` search all listeners: one listener per call would make N calls take O(N²) time.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const watch = watches.get(signal) ?? startWatch(signal);
  // A new function each time, so that a callback that is registered twice counts twice.
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
