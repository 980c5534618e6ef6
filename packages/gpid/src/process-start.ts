import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { Evidence } from './evidence.js';
import { readProcStat, TICK_MS } from './proc.js';

const HANDED_DOWN = '@ids/gpid process start 1';

/**
 * Worked out once per process and handed down to its worker threads: the same whatever the
 * wall clock does afterwards.
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
 * The kernel's start time, `ticks` since the boot, on the wall clock as it stood at `origin`, when Node took
 * its time origin: `origin` put back by the whole ticks that had passed since. So the clock of that moment
 * counts, not that of the call, and the result differs from the truth by less than a tick. Counting whole
 * ticks makes threads agree to the microsecond that each work it out for themselves, unless a tick ended
 * within the fraction of a microsecond that their readings differ by. The origin alone, in whole
 * microseconds, where the kernel does not say. `origin` and `originSinceBoot` in milliseconds.
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
 * Milliseconds on the clock of `hrtime` at the time origin. Each reading of `performance.now()`
 * between two of that clock bounds it from both sides; many of them leave a fraction of a
 * microsecond, also on a busy machine.
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

/**
 * Milliseconds since the boot on the clock that ticks count on, which goes on while the machine is suspended.
 */
export function sinceBootMs(): number {
  return monotonicMs() + suspendedMs();
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * For how long the machine was suspended since its boot. /proc/uptime has a resolution of 10 ms: less than a
 * second is its inaccuracy.
 */
function suspendedMs(): number {
  const suspended = uptime() * 1_000 - monotonicMs();
  return suspended > 1_000 ? suspended : 0;
}

/** When this process started. Plain data, which goes to worker threads. */
interface ProcessStart {
  /**
   * The time origin it was made with. A process that comes from a V8 start-up snapshot has
   * another, and so another start.
   */
  readonly origin: number;
  /** Microseconds since the epoch, UTC. */
  readonly startTime: bigint;
  /** Ticks from the boot; undefined where the operating system does not say. */
  readonly ticks: number | undefined;
}

/** The ids under one prefix, of one thread. */
export interface Sequence {
  /** All that precedes the number: the short gpid and `/`. */
  prefix: string;
  /** The last number given; 0 before the first. */
  last: number;
}

/**
 * What all copies of this package in one thread share. Plain data, so that copies of
 * different releases agree.
 */
interface ThreadState {
  start?: ProcessStart;
  /** With the time origin it was gathered under. */
  evidence?: { readonly origin: number; readonly value: Evidence };
  /**
   * By prefix without the run. Kept as long as the thread lives: a second sequence of a
   * prefix would repeat ids.
   */
  readonly sequences: Map<string, Sequence>;
}

const STATE = Symbol.for('@ids/gpid thread state 1');

export function threadState(): ThreadState {
  const holder: typeof globalThis & { [STATE]?: ThreadState } = globalThis;
  holder[STATE] ??= { sequences: new Map() };
  return holder[STATE];
}
