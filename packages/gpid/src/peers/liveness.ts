import { networkInterfaces } from 'node:os';
import type { Gpid } from '../gpid.js';
import { canonicalIp } from '../ip.js';
import { hasProcess, type ProcStat, readProc, readProcStat, TICK_MS } from '../proc.js';
import { sinceBootMs, startTimeOf } from '../process-start.js';
import { bootId, ownPidNamespace } from '../this-process.js';

/**
 * Whether the process that `gpid` means is alive on this machine: its pid exists, is no zombie, and started
 * when the gpid says, so that another process with a recycled pid is not taken for it. By `ticks` and boot id
 * exactly; a bare four-tuple by its start time to 2 s, which a wall clock that was stepped since turns into
 * `false`. `undefined` where it is not known: not on Linux, of another machine, of another pid namespace,
 * of another user where /proc is mounted with `hidepid`.
 */
export function isAlive(gpid: Gpid): boolean | undefined {
  const found = liveProcess(gpid);
  return found === 'unknown' ? undefined : found !== 'gone';
}

/** A live process, as /proc shows it. */
export interface ProcessDescription {
  /** Program and arguments; empty where it may not be read, or the process has none. */
  readonly commandLine: readonly string[];
  /** Resident memory in bytes. */
  readonly residentBytes: number;
  /**
   * CPU time used since the start, in seconds, to a hundredth: in the process itself
   * and in the kernel for it.
   */
  readonly cpu: { readonly userSeconds: number; readonly systemSeconds: number };
}

/**
 * What /proc shows of the process that `gpid` means; `undefined` unless `isAlive`, and where /proc
 * hides it from this user.
 */
export function describe(gpid: Gpid): ProcessDescription | undefined {
  const commandLine = readProc(`${gpid.pid}/cmdline`);
  const status = readProc(`${gpid.pid}/status`);
  // Last: had the pid gone to another process meanwhile, its start time would show it.
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
 * How far a start time without `ticks` may lie from what the kernel says now, in microseconds: clocks that
 * are slewed over months, a leap second. Far less than it takes a pid to come round again.
 */
const START_TOLERANCE = 2_000_000n;

/**
 * What /proc says of the process that `gpid` means: `gone`, or `unknown` where this machine, or
 * this container, does not know.
 */
function liveProcess(gpid: Gpid): ProcStat | 'gone' | 'unknown' {
  const own = readProcStat('self');
  if (own === undefined || own.pid !== process.pid) return 'unknown';
  const { boot, pidns } = gpid.evidence;
  if (boot === undefined || boot !== bootId()) {
    if (!isOwnAddress(gpid.ip)) return 'unknown';
    // This machine, before it was started again: nothing of that time is alive.
    if (boot !== undefined) return 'gone';
  }
  if (pidns !== undefined && pidns !== ownPidNamespace()) return 'unknown';
  const found = readProcStat(gpid.pid);
  // There, and not to be seen: /proc is mounted with hidepid, and which process has the pid is not known.
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
