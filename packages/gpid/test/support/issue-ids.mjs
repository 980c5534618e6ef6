// Issues and checks ids in worker threads of this process; prints the prefix and count of each. Plain
// JavaScript against the built package, for numbers that count.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createGpidGenerator } from '../../dist/index.js';
import { ContiguousRun } from './contiguous-run.mjs';

/** @param {number} count */
function issue(count) {
  const ids = createGpidGenerator({ port: 8888, address: '10.0.0.7' });
  const run = new ContiguousRun();
  while (run.count < count) {
    run.add(ids.nextSync());
    for (const id of ids.nextBatchSync(Math.min(99, count - run.count))) run.add(id);
  }
  return { prefix: run.prefix, count: run.count };
}

if (isMainThread) {
  const [threads, count] = process.argv.slice(2).map(Number);
  const workers = Array.from(
    { length: threads ?? 0 },
    () => new Worker(new URL(import.meta.url), { workerData: count }),
  );
  const reports = await Promise.all(workers.map((worker) => once(worker, 'message')));
  process.stdout.write(`${JSON.stringify(reports.flat())}\n`);
} else {
  parentPort?.postMessage(issue(workerData));
}
