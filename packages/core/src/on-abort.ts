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
