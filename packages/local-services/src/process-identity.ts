import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * The start time of a running process, as text to compare: pids are reused, a pid together with
 * its start time is not. `undefined` when there is no such process or it is a zombie. Same rule as
 * in the watchdog's script.
 */
export function processIdentity(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return identityFromPs(pid);
  try {
    // The command's name stands in parentheses and may hold anything, so fields are
    // counted from the last ')'.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function identityFromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
