/**
 * Resolves as `promise` does, unless `signal` aborts first: then rejects with `signal.reason`. The work behind
 * `promise` goes on; a rejection of it after the abort is swallowed, since nobody waits for it any more.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
