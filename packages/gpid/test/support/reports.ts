import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compiledModule } from '@ids/conformance';
import type { Report } from './report-gpid.js';

const script = new URL('./report-gpid.ts', import.meta.url);

/** The report of a new worker thread of this process. */
export async function reportOfThread(): Promise<Report> {
  const worker = new Worker(await compiledModule(script), { execArgv: [] });
  const [report] = await once(worker, 'message');
  await worker.terminate();
  return report;
}

/** The report of a new process. */
export async function reportOfProcess(): Promise<Report & { readonly pid: number | undefined }> {
  const child = fork(await compiledModule(script));
  const ended = once(child, 'exit');
  const [report] = await once(child, 'message');
  child.disconnect();
  await ended;
  return { ...report, pid: child.pid };
}
