import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks `probe` every 10 ms until it answers true: for what a server does not announce. False after
 * `timeoutMs`, or as soon as `hopeless` says so.
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
