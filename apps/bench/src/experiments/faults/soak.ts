import { openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { Subject } from '../../cases/case.js';
import { caseJob } from '../../worker/job.js';

export interface SoakRequest {
  /** A new file, with a line for each issued id: `<milliseconds of the monotonic clock> <id>`. */
  readonly path: string;
  readonly ms: number;
  /** Sets the clock of the process back by an hour after so many milliseconds. */
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
 * Requests ids all the time, whatever happens. An id counts as issued once it is written to the file, which
 * survives when the process is killed.
 */
async function soak(subject: Subject, { path, ms, clockBackAfterMs }: SoakRequest): Promise<SoakAnswer> {
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

export const soakJob = caseJob(import.meta.url, 'soakJob', (subject, _, request: SoakRequest) =>
  soak(subject, request),
);

/** Only for this process: the clock of the machine stays as it is. */
function setClockBack(): void {
  const { now } = Date;
  Date.now = () => now() - HOUR_MS;
}

/** The ids that all processes got. */
interface Issued {
  /** When each id was issued, in milliseconds of the monotonic clock; in no order. */
  readonly times: readonly number[];
  readonly ids: number;
  readonly duplicates: number;
  readonly example?: string;
  readonly lost?: number;
  readonly withoutIdsMs: number;
}

/** Reads the files that `soak` wrote. A line that a kill cut off does not count. */
export async function readIssued(paths: readonly string[]): Promise<Issued> {
  const times: number[] = [];
  const seen = new Set<string>();
  let duplicates = 0;
  let example: string | undefined;
  for (const path of paths) {
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    for (const line of lines) {
      const space = line.indexOf(' ');
      const id = line.slice(space + 1);
      times.push(Number(line.slice(0, space)));
      if (seen.has(id)) {
        duplicates++;
        example ??= id;
      }
      seen.add(id);
    }
  }
  const lost = lostAmong(seen);
  return {
    times,
    ids: times.length,
    duplicates,
    ...(example !== undefined && { example }),
    ...(lost !== undefined && { lost }),
    withoutIdsMs: widestGap(times),
  };
}

/** If ids are integers: how many between the smallest and the greatest were never issued. */
function lostAmong(ids: ReadonlySet<string>): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  let greatest = 0;
  for (const id of ids) {
    const value = Number(id);
    if (!Number.isSafeInteger(value)) return undefined;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return ids.size === 0 ? undefined : greatest - least + 1 - ids.size;
}

function widestGap(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort();
  let widest = 0;
  for (let i = 1; i < sorted.length; i++) {
    widest = Math.max(widest, (sorted[i] as number) - (sorted[i - 1] as number));
  }
  return Math.round(widest);
}
