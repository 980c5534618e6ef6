import { networkInterfaces } from 'node:os';
import type { Gpid } from './gpid.js';
import { bootId, ownPidNamespace } from './incarnation.js';
import { canonicalIp } from './ip-text.js';
import { hasProcess, type ProcStat, readProcStat } from './proc-stat.js';
import { sinceBootMs, startTimeOf } from './process-start.js';

/**
 * How far a start time without `ticks` may lie from what the kernel says now, in microseconds: clocks that
 * are slewed over months, a leap second. Far less than it takes a pid to come round again.
 */
const START_TOLERANCE = 2_000_000n;

/**
 * What /proc says of the process that `gpid` means: `gone`, or `unknown` where this machine, or
 * this container, cannot tell.
 */
export function liveProcess(gpid: Gpid): ProcStat | 'gone' | 'unknown' {
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
