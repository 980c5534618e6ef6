import { execFileSync } from 'node:child_process';

/** The pids of all processes below `root`, however deep. */
export function descendants(root: number): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = listed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  // A pid appended here is visited too, so the list grows down the tree.
  for (const parent of found) for (const [pid = 0, ppid] of pairs) if (ppid === parent) found.push(pid);
  return found.slice(1);
}

/** Those of `pids` that still run; a zombie, which only waits to be counted, does not. */
export function alive(pids: readonly number[]): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' });
  const running = listed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, state]) => !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
  return pids.filter((pid) => running.includes(pid));
}
