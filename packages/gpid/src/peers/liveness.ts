import { networkInterfaces } from 'node:os';
import type { Gpid } from '../process/gpid.js';
import { canonicalIp } from '../process/ip.js';
import { hasProcess, type ProcStat, readProc, readProcStat, TICK_MS } from '../process/proc.js';
import { sinceBootMs, startTimeOf } from '../process/process-start.js';
import { bootId, ownPidNamespace } from '../process/this-process.js';

/**
 * Whether the process identified by `gpid` is alive on this machine: its pid exists, is not a zombie, and
 * started at the time in the gpid, so that another process with a reused pid does not count. The start is
 * compared exactly by `ticks` and boot id. Without them it is compared by start time, to within 2 s; if the
 * wall clock has been set since, the result can be `false` for a live process. `undefined` if unknown: not on
 * Linux, another machine, another pid namespace, or a process of another user where /proc is mounted with
 * `hidepid`.
 */
export function isAlive(gpid: Gpid): boolean | undefined {
  const found = liveProcess(gpid);
  return found === 'unknown' ? undefined : found !== 'gone';
}

/** What /proc shows about a live process. */
export interface ProcessDescription {
  /** The program and its arguments; empty if they may not be read or the process has none. */
  readonly commandLine: readonly string[];
  /** Resident memory in bytes. */
  readonly residentBytes: number;
  /**
   * CPU time used since the start, in seconds with a resolution of 0.01: by the process itself, and by the
   * kernel on its behalf.
   */
  readonly cpu: { readonly userSeconds: number; readonly systemSeconds: number };
}

/**
 * Describes the process identified by `gpid`; `undefined` unless `isAlive`, and if /proc hides it from this
 * user.
 */
export function describe(gpid: Gpid): ProcessDescription | undefined {
  const commandLine = readProc(`${gpid.pid}/cmdline`);
  const status = readProc(`${gpid.pid}/status`);
  // Checked last: if the pid had been reused in the meantime, the start time would show it.
  const stat = liveProcess(gpid);
  if (typeof stat === 'string' || status === undefined) return undefined;
  return {
    commandLine: Buffer.from(commandLine ?? '', 'latin1')
      .toString()
      .split('\0')
      .slice(0, -1),
    residentBytes: Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024,
    cpu: {
      userSeconds: (stat.userTicks * TICK_MS) / 1_000,
      systemSeconds: (stat.systemTicks * TICK_MS) / 1_000,
    },
  };
}

/**
 * How far a start time without `ticks` may differ from what the kernel reports now, in microseconds: for
 * clocks slewed over months, or a leap second. Far less than the time until a pid is reused.
 */
const START_TOLERANCE = 2_000_000n;

/**
 * The state of the process identified by `gpid` in /proc: `gone`, or `unknown` if this machine or container
 * does not know.
 */
function liveProcess(gpid: Gpid): ProcStat | 'gone' | 'unknown' {
  const own = readProcStat('self');
  if (own === undefined || own.pid !== process.pid) return 'unknown';
  const { boot, pidns } = gpid.evidence;
  if (boot === undefined || boot !== bootId()) {
    if (!isOwnAddress(gpid.ip)) return 'unknown';
    // This machine, before a reboot: none of its processes from then are alive.
    if (boot !== undefined) return 'gone';
  }
  if (pidns !== undefined && pidns !== ownPidNamespace()) return 'unknown';
  const found = readProcStat(gpid.pid);
  // The pid exists but is hidden: /proc is mounted with hidepid, so it is unknown which process has it.
  if (found === undefined) return hasProcess(gpid.pid) ? 'unknown' : 'gone';
  if (found.state === 'Z' || found.state === 'X') return 'gone';
  return startedAs(gpid, found.startTicks) ? found : 'gone';
}

function startedAs({ startTime, evidence }: Gpid, ticks: number): boolean {
  if (evidence.ticks !== undefined) return evidence.ticks === ticks;
  const known = startTimeOf({ origin: Date.now(), ticks, originSinceBoot: sinceBootMs() });
  const apart = known - startTime;
  return -START_TOLERANCE <= apart && apart <= START_TOLERANCE;
}

function isOwnAddress(ip: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
  return own.some(({ address }) => canonicalIp(address) === ip);
}
