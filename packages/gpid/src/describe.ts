import type { Gpid } from './gpid.js';
import { liveProcess } from './live-process.js';
import { readProc, TICK_MS } from './proc-stat.js';

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
 * What /proc tells of the process that `gpid` means; `undefined` unless `isAlive`, and where /proc
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
