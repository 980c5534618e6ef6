import { openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { Subject } from '../../cases/case.js';
import { setWallClockBack } from '../../worker/host-clock.js';
import { caseJob } from '../../worker/job.js';

export interface SoakRequest {
  /** A new file, with a line for each issued id: `<milliseconds of the monotonic clock> <id>`. */
  readonly path: string;
  readonly ms: number;
  /** Sets the clock of the process back by an hour after so many milliseconds. */
  readonly clockBackAfterMs?: number;
}

/** When ids were asked for, in milliseconds of the monotonic clock. */
export interface Asked {
  readonly from: number;
  readonly until: number;
}

export interface SoakAnswer {
  readonly asked: Asked;
  readonly errors: number;
  readonly firstError?: string;
}

const CALLERS = 8;
/** Between two calls of one caller. */
const PAUSE_MS = 2;
const PAUSE_AFTER_ERROR_MS = 50;
const HOUR_S = 3_600;

/**
 * Requests ids all the time, whatever happens. An id counts as issued once it is written to the file, which
 * survives when the process is killed.
 */
async function soak(subject: Subject, { path, ms, clockBackAfterMs }: SoakRequest): Promise<SoakAnswer> {
  const next = subject.next ?? (async () => (subject.nextSync as () => Id)());
  const file = openSync(path, 'wx');
  const from = monotonicMs();
  const asked = { from, until: from + ms };
  let errors = 0;
  let firstError: string | undefined;
  if (clockBackAfterMs !== undefined) setTimeout(() => setWallClockBack(HOUR_S), clockBackAfterMs).unref();

  async function caller(): Promise<void> {
    while (monotonicMs() < asked.until) {
      try {
        const id = await next();
        writeSync(file, `${monotonicMs()} ${String(id)}\n`);
        await delay(PAUSE_MS);
      } catch (error) {
        errors++;
        firstError ??= (error as Error).message;
        await delay(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { asked, errors, ...(firstError !== undefined && { firstError }) };
}

export const soakJob = caseJob(import.meta.url, 'soakJob', (subject, _, request: SoakRequest) =>
  soak(subject, request),
);

/** The clock of all processes of this machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
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

/** Of all processes together: from the first that asked until the last that did. */
export function askedByAny(answers: readonly SoakAnswer[]): Asked {
  return {
    from: Math.min(...answers.map(({ asked }) => asked.from)),
    until: Math.max(...answers.map(({ asked }) => asked.until)),
  };
}

/** Reads the files that `soak` wrote. A line that a kill cut off does not count. */
export async function readIssued(paths: readonly string[], asked: Asked): Promise<Issued> {
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
    withoutIdsMs: widestGap(times, asked),
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

/** Also before the first id and after the last: whoever asks in vain until the end waits as well. */
function widestGap(times: readonly number[], { from, until }: Asked): number {
  const sorted = Float64Array.from(times).sort();
  let before = from;
  let widest = 0;
  for (const time of sorted) {
    widest = Math.max(widest, time - before);
    before = time;
  }
  // A call that was made in time may get its id later.
  return Math.round(Math.max(widest, until - before));
}
