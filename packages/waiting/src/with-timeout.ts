import { abortable, onAbort } from '@ids/core/strategy';

/**
 * Runs `work` for at most `ms` milliseconds, or until one of `parents` aborts. Then it aborts the signal that
 * `work` got, and rejects with the error of `expired` or the reason of that parent. Work that ignores its
 * signal continues. A parent may outlive any number of calls, which share one listener.
 */
export async function withTimeout<T>(
  ms: number,
  parents: AbortSignal | undefined | readonly (AbortSignal | undefined)[],
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signals = [parents].flat().filter((one) => one !== undefined);
  for (const signal of signals) signal.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), ms);
  const forget = signals.map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  try {
    return await abortable(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    for (const end of forget) end();
  }
}
