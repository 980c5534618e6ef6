import { rmSync } from 'node:fs';
import type { Assignment, FromWorker, Job, ToWorker } from './job.js';

// Ctrl-C in a terminal reaches the whole group; the parent decides when a worker ends.
process.on('SIGINT', () => {});

const [, , scratchDir = ''] = process.argv;
let finished = false;

/** The parent is gone: nobody else will remove the files. */
function orphaned(): void {
  if (!finished) rmSync(scratchDir, { recursive: true, force: true, maxRetries: 3 });
  process.exit();
}
process.on('disconnect', orphaned);
// The parent may have gone while the modules were loading, before anybody listened.
if (!process.connected) orphaned();

let go: () => void = () => {};
const started = new Promise<void>((resolve) => {
  go = resolve;
});

process.on('message', (message: ToWorker) => {
  if (message === 'go') go();
  else void work(message).finally(leave);
});

async function work({ module, name, request, subject }: Assignment): Promise<void> {
  let answer: unknown;
  try {
    const jobs = (await import(module)) as Readonly<Record<string, Job<unknown, unknown>>>;
    const job = await jobs[name]?.open(request, subject);
    if (job === undefined) throw new Error(`${module}: there is no job "${name}"`);
    await send({ type: 'ready' });
    await started;
    answer = await job.run();
    await job.close?.();
  } catch (error) {
    const { name: kind, message, stack } = error as Error;
    const invalid = kind === 'InvalidOutput';
    return send({ type: 'failed', invalid, message: invalid ? message : (stack ?? String(error)) });
  }
  await send({ type: 'answer', answer });
}

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

/** Ends the process even if the case left a socket or a timer open; the parent has the answer by now. */
function leave(): void {
  finished = true;
  process.disconnect?.();
}
