// What runs in each worker thread and child process: it says when it is ready, then issues ids when told to go.
import { isMainThread, parentPort } from 'node:worker_threads';
import { type ClassicObjectIdOptions, createObjectIdGenerator } from '../../src/machine-pid/index.js';

export type ToIssuer = { readonly count: number; readonly options: ClassicObjectIdOptions };
export type FromIssuer = 'ready' | { readonly ids: readonly string[] } | { readonly error: unknown };

if (isMainThread) {
  process.on('message', receive);
  process.on('disconnect', () => process.exit());
} else {
  parentPort?.on('message', receive);
}
send('ready');

function receive({ count, options }: ToIssuer): void {
  try {
    const generator = createObjectIdGenerator(options);
    const ids: string[] = [];
    while (ids.length < count) ids.push(generator.nextSync(), ...generator.nextBatchSync(99));
    send({ ids });
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    send({ error: { code, message } });
  }
}

function send(message: FromIssuer): void {
  if (isMainThread) process.send?.(message);
  else parentPort?.postMessage(message);
}
