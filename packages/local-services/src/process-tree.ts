import { readdirSync, readFileSync } from 'node:fs';
import { processIdentity } from './watchdog.js';

/** The PIDs of the children of a process and of theirs, by /proc: Linux only. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the command is in parentheses and may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  return processIdentity(pid) !== undefined;
}

/** Signals each of them that still exists. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
