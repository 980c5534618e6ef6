import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { Evidence } from './evidence.js';
import { readProcStat, TICK_MS } from './proc.js';

const HANDED_DOWN = '@ids/gpid process start 1';

/**
 * The start of this process. Computed once and passed to its worker threads, so it does not change when the
 * wall clock does.
 */
export function processStart(): ProcessStart {
  const state = threadState();
  const origin = performance.timeOrigin;
  const known = [state.start, getEnvironmentData(HANDED_DOWN) as unknown as ProcessStart | undefined];
  const start = known.find((one) => one?.origin === origin) ?? workOut(origin);
  if (state.start !== start) {
    state.start = start;
    setEnvironmentData(HANDED_DOWN, start as unknown as Parameters<typeof setEnvironmentData>[1]);
  }
  return start;
}

function workOut(origin: number): ProcessStart {
  const ticks = readProcStat('self')?.startTicks;
  const originSinceBoot = ticks === undefined ? undefined : originOnMonotonicClock() + suspendedMs();
  return { origin, ticks, startTime: startTimeOf({ origin, ticks, originSinceBoot }) };
}

/**
 * The kernel's start time (`ticks` since boot), converted to wall-clock time as of `origin`, when Node.js
 * took its time origin: `origin` minus the whole ticks between the start and the origin. So later clock
 * changes do not matter, and the error is less than a tick. Because only whole ticks are subtracted, threads
 * that compute it separately get the same microsecond, unless a tick ends within the fraction of a
 * microsecond by which their readings differ. If the kernel's start time is unknown, returns `origin` in
 * whole microseconds. `origin` and `originSinceBoot` are in milliseconds.
 */
export function startTimeOf({
  origin,
  ticks,
  originSinceBoot,
}: Pick<ProcessStart, 'origin' | 'ticks'> & { readonly originSinceBoot: number | undefined }): bigint {
  const originMicros = Math.round(origin * 1_000);
  const age = ticks === undefined || originSinceBoot === undefined ? 0 : originSinceBoot - ticks * TICK_MS;
  return BigInt(originMicros - Math.max(0, Math.floor(age / TICK_MS)) * TICK_MS * 1_000);
}

/**
 * The time origin on the clock of `hrtime`, in milliseconds. Each reading of `performance.now()` between two
 * readings of that clock gives a lower and an upper bound. Many of them narrow it to a fraction of a
 * microsecond, even on a busy machine.
 */
function originOnMonotonicClock(): number {
  let [earliest, latest] = [-Infinity, Infinity];
  for (let reading = 0; reading < 64; reading++) {
    const before = monotonicMs();
    const sinceOrigin = performance.now();
    latest = Math.min(latest, monotonicMs() - sinceOrigin);
    earliest = Math.max(earliest, before - sinceOrigin);
  }
  return (earliest + latest) / 2;
}

/** Milliseconds since boot on the clock of the ticks, which keeps running while the machine is suspended. */
export function sinceBootMs(): number {
  return monotonicMs() + suspendedMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * How long the machine has been suspended since boot. /proc/uptime has a resolution of 10 ms, so differences
 * below a second are treated as inaccuracy.
 */
function suspendedMs(): number {
  const suspended = uptime() * 1_000 - monotonicMs();
  return suspended > 1_000 ? suspended : 0;
}

/** The start of this process. Plain data, so that it can be passed to worker threads. */
interface ProcessStart {
  /**
   * The time origin from which it was computed. A process started from a V8 start-up snapshot has another
   * origin, and so another start.
   */
  readonly origin: number;
  /** Microseconds since the Unix epoch, UTC. */
  readonly startTime: bigint;
  /** Ticks since boot; undefined if the operating system does not provide them. */
  readonly ticks: number | undefined;
}

/** The ids of one thread with one prefix. */
export interface Sequence {
  /** Everything before the number: the short gpid and `/`. */
  prefix: string;
  /** The last number issued; 0 before the first. */
  last: number;
}

/**
 * The state that all copies of this package in one thread share. Plain data, so that different releases can
 * share it.
 */
interface ThreadState {
  start?: ProcessStart;
  /** With the time origin at which it was gathered. */
  evidence?: { readonly origin: number; readonly value: Evidence };
  /**
   * By prefix without the run. Kept for the lifetime of the thread: a second sequence with the same prefix
   * would repeat ids.
   */
  readonly sequences: Map<string, Sequence>;
}

const STATE = Symbol.for('@ids/gpid thread state 1');

export function threadState(): ThreadState {
  const holder: typeof globalThis & { [STATE]?: ThreadState } = globalThis;
  holder[STATE] ??= { sequences: new Map() };
  return holder[STATE];
}
