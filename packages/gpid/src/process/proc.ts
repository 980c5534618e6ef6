import { readFileSync } from 'node:fs';

/** Linux counts process times in ticks of 10 ms (USER_HZ), on every architecture that Node.js supports. */
export const TICK_MS = 10;

/** The fields of /proc/<pid>/stat that are used here, with their numbers in proc_pid_stat(5). */
export interface ProcStat {
  /** In the pid namespace in which /proc was mounted. Field 1. */
  readonly pid: number;
  /** `Z` and `X` mean dead. Field 3. */
  readonly state: string;
  /** Fields 14 and 15, in ticks. */
  readonly userTicks: number;
  readonly systemTicks: number;
  /** Ticks from boot to the start of the process. Field 22. */
  readonly startTicks: number;
}

/** Undefined if the file does not exist or may not be read. */
export function readProcStat(pid: number | 'self'): ProcStat | undefined {
  const text = readProc(`${pid}/stat`);
  return text === undefined ? undefined : parseProcStat(text);
}

/** Undefined if `text` is not in the format of proc_pid_stat(5). */
export function parseProcStat(text: string): ProcStat | undefined {
  // The program name, field 2, may contain spaces and parentheses, so only the last parenthesis closes it.
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

/** The content of a file under /proc; undefined if it does not exist or may not be read. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * Whether a process with this pid exists, even one of another user that /proc hides (`hidepid`). Signal 0
 * sends nothing; EPERM means that the process exists.
 */
export function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
