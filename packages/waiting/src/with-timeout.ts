import { abortable } from '@ids/core/strategy';

/**
 * Runs `work` for at most `ms` milliseconds, or until `parent` aborts. Then it aborts the signal that `work`
 * got, and rejects with the error of `expired` or the reason of `parent`. Work that ignores its signal
 * continues.
 */
export async function withTimeout<T>(
  ms: number,
  parent: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), ms);
  const abort = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', abort);
  try {
    return await abortable(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', abort);
  }
}
