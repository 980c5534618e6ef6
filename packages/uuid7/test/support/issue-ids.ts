// What runs in each worker thread and child process: it says when it is ready, then issues ids when
// told to go.
import { isMainThread, parentPort } from 'node:worker_threads';
import { createUuid7Generator } from '../../src/index.js';

export type FromIssuer = 'ready' | readonly string[];

if (isMainThread) {
  process.on('message', receive);
  process.on('disconnect', () => process.exit());
} else {
  parentPort?.on('message', receive);
}
send('ready');

/** One id of a hundred by itself, the others in batches. */
function receive(count: number): void {
  const generator = createUuid7Generator();
  const ids: string[] = [];
  while (ids.length < count) ids.push(generator.nextSync(), ...generator.nextBatchSync(99));
  send(ids);
}

function send(message: FromIssuer): void {
  if (isMainThread) process.send?.(message);
  else parentPort?.postMessage(message);
}
