import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { IssuingPlan } from './issuing-process.js';

const ENTRY = fileURLToPath(new URL('./issuing-process.ts', import.meta.url));

/** Starts a child process that gives ids; whoever starts it waits for its end. */
export function startIssuing(plan: IssuingPlan): ChildProcess {
  return fork(ENTRY, [JSON.stringify(plan)], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}
