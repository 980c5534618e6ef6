import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { Subject } from '../bench-case.js';

export interface SoakRequest {
  /** A new file: a line for each id that was given, `<milliseconds of the monotonic clock> <id>`. */
  readonly path: string;
  readonly ms: number;
  /** Sets this process's clock back by an hour after so many milliseconds. */
  readonly clockBackAfterMs?: number;
}

export interface SoakAnswer {
  readonly errors: number;
  readonly firstError?: string;
}

const CALLERS = 8;
/** Between two calls of one caller. */
const PAUSE_MS = 2;
const PAUSE_AFTER_ERROR_MS = 50;
const HOUR_MS = 3_600_000;

/**
 * Asks for ids all the time, whatever happens. An id counts as given once it is in the file, which the
 * operating system keeps when the process is killed.
 */
export async function soak(
  subject: Subject,
  { path, ms, clockBackAfterMs }: SoakRequest,
): Promise<SoakAnswer> {
  const next = subject.next ?? (async () => (subject.nextSync as () => Id)());
  const file = openSync(path, 'wx');
  const end = performance.now() + ms;
  let errors = 0;
  let firstError: string | undefined;
  if (clockBackAfterMs !== undefined) setTimeout(setClockBack, clockBackAfterMs).unref();

  async function caller(): Promise<void> {
    while (performance.now() < end) {
      try {
        const id = await next();
        writeSync(file, `${Number(process.hrtime.bigint() / 1_000n) / 1_000} ${String(id)}\n`);
        await delay(PAUSE_MS);
      } catch (error) {
        errors++;
        firstError ??= (error as Error).message;
        await delay(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { errors, ...(firstError !== undefined && { firstError }) };
}

/** The clock of the machine is not this program's to set; this process sees it set back all the same. */
function setClockBack(): void {
  const { now } = Date;
  Date.now = () => now() - HOUR_MS;
}
