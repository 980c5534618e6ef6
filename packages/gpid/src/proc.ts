import { readFileSync } from 'node:fs';

/**
 * Linux counts the times of a process in ticks of 10 ms (USER_HZ), on every architecture that Node runs on.
 */
export const TICK_MS = 10;

/** What /proc/<pid>/stat says, as far as it is needed here. Numbers of fields as in proc_pid_stat(5). */
export interface ProcStat {
  /** In the pid namespace for which /proc was mounted. Field 1. */
  readonly pid: number;
  /** `Z` and `X` are dead. Field 3. */
  readonly state: string;
  /** Fields 14 and 15, in ticks. */
  readonly userTicks: number;
  readonly systemTicks: number;
  /** Ticks from the boot to the start. Field 22. */
  readonly startTicks: number;
}

/** Undefined where the file is not, or may not be read. */
export function readProcStat(pid: number | 'self'): ProcStat | undefined {
  const text = readProc(`${pid}/stat`);
  return text === undefined ? undefined : parseProcStat(text);
}

/** Undefined when `text` is not what proc_pid_stat(5) describes. */
export function parseProcStat(text: string): ProcStat | undefined {
  // The name of the program, field 2, may hold spaces and parentheses itself: only the last one closes it.
  const [state = '', ...numbers] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(numbers[number - 4] ?? Number.NaN);
  const stat = {
    pid: Number.parseInt(text, 10),
    state,
    userTicks: field(14),
    systemTicks: field(15),
    startTicks: field(22),
  };
  const { pid, userTicks, systemTicks, startTicks } = stat;
  return [pid, userTicks, systemTicks, startTicks].every(Number.isSafeInteger) ? stat : undefined;
}

/** The content of a file of /proc; undefined where there is none, or where it may not be read. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * Whether a process of this pid exists, also one of another user that /proc hides (`hidepid`). Signal 0 is
 * sent to nobody; a process that may not be signalled is there.
 */
export function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
