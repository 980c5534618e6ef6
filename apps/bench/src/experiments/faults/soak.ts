import { openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Id } from '@ids/core';
import type { Subject } from '../../cases/case.js';
import type { FaultResult } from '../../schema/run.js';
import { setWallClockBack } from '../../worker/host-clock.js';
import { caseJob } from '../../worker/job.js';

export interface SoakRequest {
  /** A new file, with a line for each issued id: `<milliseconds of the monotonic clock> <id>`. */
  readonly path: string;
  readonly ms: number;
  /** Sets the clock of the process back by an hour after so many milliseconds. */
  readonly clockBackAfterMs?: number;
}

export interface SoakAnswer {
  /** When ids were asked for, in milliseconds of the monotonic clock. */
  readonly from: number;
  readonly until: number;
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
  const until = from + ms;
  let errors = 0;
  let firstError: string | undefined;
  if (clockBackAfterMs !== undefined) setTimeout(() => setWallClockBack(HOUR_S), clockBackAfterMs).unref();

  async function caller(): Promise<void> {
    while (monotonicMs() < until) {
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
  return { from, until, errors, ...(firstError !== undefined && { firstError }) };
}

export const soakJob = caseJob(import.meta.url, 'soakJob', (subject, _, request: SoakRequest) =>
  soak(subject, request),
);

/** The clock of all processes of this machine. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** The ids that all processes got. */
type Issued = Pick<FaultResult, 'ids' | 'duplicates' | 'example' | 'lost' | 'withoutIdsMs'>;

/** Reads the files that `soak` wrote. A line that a kill cut off does not count. */
export async function readIssued(
  paths: readonly string[],
  asked: readonly Pick<SoakAnswer, 'from' | 'until'>[],
): Promise<Issued> {
  const issued = (await Promise.all(paths.map(linesOf))).flat();
  const seen = new Set<string>();
  const again = issued.flatMap(([, id]) => (seen.has(id) ? [id] : seen.add(id) && []));
  const lost = lostAmong(seen);
  const [example] = again;
  // From the first that asked until the last that did: whoever asks in vain until the end waits as well.
  const from = Math.min(...asked.map((one) => one.from));
  const until = Math.max(...asked.map((one) => one.until));
  const times = Float64Array.from(issued, ([time]) => time).sort();
  // A call that was made in time may get its id later.
  const ends = [...times, Math.max(until, times.at(-1) ?? until)];
  const gaps = ends.map((end, i) => end - (ends[i - 1] ?? from));
  return {
    ids: issued.length,
    duplicates: again.length,
    ...(example !== undefined && { example }),
    ...(lost !== undefined && { lost }),
    withoutIdsMs: Math.round(gaps.reduce((a, b) => Math.max(a, b), 0)),
  };
}

/** The time and the id of each line. */
async function linesOf(path: string): Promise<(readonly [number, string])[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => {
    const space = line.indexOf(' ');
    return [Number(line.slice(0, space)), line.slice(space + 1)];
  });
}

/** If ids are integers: how many between the smallest and the greatest were never issued. */
function lostAmong(ids: ReadonlySet<string>): number | undefined {
  const numbers = Float64Array.from(ids, Number).sort();
  if (ids.size === 0 || !numbers.every(Number.isSafeInteger)) return undefined;
  return (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1 - ids.size;
}
