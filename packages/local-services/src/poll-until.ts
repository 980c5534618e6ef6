import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `probe` every 10 ms until it returns true, for changes that a server does not announce. Returns false
 * after `timeoutMs`, or as soon as `hopeless` returns true.
 */
export async function pollUntil(
  probe: () => Promise<boolean>,
  timeoutMs: number,
  hopeless: () => boolean = () => false,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await probe())) {
    if (hopeless() || Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}
