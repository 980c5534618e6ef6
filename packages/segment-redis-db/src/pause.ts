import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or at once when `closed` aborts. */
export async function pause(ms: number, closed: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closed }).catch(() => {
    // Closing cuts the pause short; nothing else can reject it.
  });
}
