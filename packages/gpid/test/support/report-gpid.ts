import { parentPort } from 'node:worker_threads';
import { createGpidGenerator, thisProcess } from '../../src/index.js';

/** What a worker thread or child process says of itself. */
export interface Report {
  readonly gpid: string;
  readonly ids: readonly string[];
}

const options = { port: 8888, address: '10.0.0.7' };

const report: Report = {
  gpid: String(thisProcess(options)),
  ids: createGpidGenerator(options).nextBatchSync(1_000),
};

if (parentPort) parentPort.postMessage(report);
else process.send?.(report);
