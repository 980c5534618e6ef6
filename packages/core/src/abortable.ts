import { onAbort } from './on-abort.js';

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
