import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Report } from './report-gpid.js';

const script = new URL('./report-gpid.ts', import.meta.url);

/**
 * The report of a new worker thread of this process. A worker ignores `--import`, hence the line of script.
 */
export async function reportOfThread(): Promise<Report> {
  const [api, entry] = [import.meta.resolve('tsx/esm/api'), script.href].map((url) => JSON.stringify(url));
  const worker = new Worker(
    `import(${api}).then(({ register }) => { register(); return import(${entry}); })`,
    { eval: true, execArgv: [] },
  );
  const [report] = await once(worker, 'message');
  await worker.terminate();
  return report;
}

/** The report of a new process. */
export async function reportOfProcess(): Promise<Report & { readonly pid: number | undefined }> {
  const child = fork(script, [], { execArgv: ['--import', import.meta.resolve('tsx')] });
  const ended = once(child, 'exit');
  const [report] = await once(child, 'message');
  child.disconnect();
  await ended;
  return { ...report, pid: child.pid };
}
