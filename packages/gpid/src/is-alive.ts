import type { Gpid } from './gpid.js';
import { liveProcess } from './live-process.js';

/**
 * Whether the process that `gpid` means is alive on this machine: its pid exists, is no zombie, and started
 * when the gpid says, so that another process with a recycled pid is not taken for it. By `ticks` and boot id
 * exactly; a bare four-tuple by its start time to 2 s, which a wall clock that was stepped since turns into
 * `false`. `undefined` where it cannot be told: not on Linux, of another machine, of another pid namespace,
 * of another user where /proc is mounted with `hidepid`.
 */
export function isAlive(gpid: Gpid): boolean | undefined {
  const found = liveProcess(gpid);
  return found === 'unknown' ? undefined : found !== 'gone';
}
