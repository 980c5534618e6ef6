import { setMaxListeners } from 'node:events';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { prepareRun, search, type ThreadMessage, type ThreadTask } from './search.js';

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const { args, breaks, number, threads } = workerData as ThreadTask;
  let stopped = false;
  port.once('message', () => {
    stopped = true;
  });
  setMaxListeners(0);
  const { run, unusedGuard } = prepareRun(args);
  await search({
    ...args,
    from: args.from + number,
    to: args.from + args.seeds,
    step: threads,
    breaks,
    run,
    stopped: () => stopped,
    onSeed: (outcome) => port.postMessage({ outcome } satisfies ThreadMessage),
  });
  port.postMessage({ unusedGuard: unusedGuard() } satisfies ThreadMessage);
  port.close();
}
