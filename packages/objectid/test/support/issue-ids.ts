// What runs in each worker thread, child process and cluster worker: it says when it is ready, then
// issues ids when told to go.
import { isMainThread, parentPort } from 'node:worker_threads';
import { type ClassicObjectIdOptions, createObjectIdGenerator } from '../../src/machine-pid/index.js';
import { placeOf } from './issuer-at.js';

export type ToIssuer = { readonly count: number; readonly options: ClassicObjectIdOptions };
export type FromIssuer = 'ready' | IssuedIds | { readonly error: unknown };

/** Ids without their text, of which millions would fill the memory. */
export interface IssuedIds {
  /** The ten digits in the middle, the same for all of them. */
  readonly middle: string;
  /** The seconds and the counter of each id, 56 bits, in the order of issue. */
  readonly places: BigUint64Array;
}

if (isMainThread) {
  process.on('message', receive);
  process.on('disconnect', () => process.exit());
} else {
  parentPort?.on('message', receive);
}
send('ready');

function receive({ count, options }: ToIssuer): void {
  try {
    send(issue(count, options));
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    send({ error: { code, message } });
  }
}

/** One id of a hundred by itself, the others in batches. */
function issue(count: number, options: ClassicObjectIdOptions): IssuedIds {
  const generator = createObjectIdGenerator(options);
  const places = new BigUint64Array(count);
  let issued = 0;
  let middle: string | undefined;
  while (issued < count) {
    for (const id of [generator.nextSync(), ...generator.nextBatchSync(99)]) {
      middle ??= id.slice(8, 18);
      if (id.slice(8, 18) !== middle) throw new Error(`${id} has not ${middle} in the middle`);
      places[issued++] = placeOf(id);
    }
  }
  return { middle: middle ?? '', places };
}

function send(message: FromIssuer): void {
  if (isMainThread) process.send?.(message);
  else parentPort?.postMessage(message);
}
