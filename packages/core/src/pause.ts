import { onAbort } from './requests.js';

export interface PauseOptions {
  /** Ends the pause when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the pause keeps the process alive; default true. */
  readonly ref?: boolean;
}

/**
 * Resolves after `ms` milliseconds, or at once when `signal` aborts; it never rejects. It needs no module of
 * Node.js, so that it runs in a Worker as well.
 */
export function pause(ms: number, { signal, ref = true }: PauseOptions = {}): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      forget?.();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = signal && onAbort(signal, end);
    if (!ref) keepsProcessAlive(timer, false);
  });
}

/** Whether a timer keeps the process alive. Outside Node.js, a timer is a number, and no process is kept. */
export function keepsProcessAlive(
  timer: { ref(): unknown; unref(): unknown } | number,
  keeps: boolean,
): void {
  if (typeof timer !== 'object') return;
  if (keeps) timer.ref();
  else timer.unref();
}
