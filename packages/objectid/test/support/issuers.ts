import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FromIssuer, ToIssuer } from './issue-ids.js';

const script = new URL('./issue-ids.ts', import.meta.url);

/** A worker thread or child process that is ready to issue. */
export interface IssuingMember {
  /** Rejects with what its generator threw. */
  issue(order: ToIssuer): Promise<readonly string[]>;
  end(): Promise<void>;
}

export async function startThread(): Promise<IssuingMember> {
  const worker = await startWorker(script);
  return {
    issue: (order) => answer(worker, () => worker.postMessage(order)),
    end: async () => void (await worker.terminate()),
  };
}

/** A thread that runs a TypeScript file and is ready. A worker ignores `--import`, hence the line of script. */
export async function startWorker(file: URL): Promise<Worker> {
  const [api, entry] = [import.meta.resolve('tsx/esm/api'), file.href].map((url) => JSON.stringify(url));
  const worker = new Worker(
    `import(${api}).then(({ register }) => { register(); return import(${entry}); })`,
    { eval: true, execArgv: [] },
  );
  await once(worker, 'message');
  return worker;
}

export async function startProcess(): Promise<IssuingMember> {
  const child = fork(script, [], { execArgv: ['--import', import.meta.resolve('tsx')] });
  await once(child, 'message');
  return {
    issue: (order) => answer(child, () => child.send(order)),
    end: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function answer(member: NodeJS.EventEmitter, ask: () => void): Promise<readonly string[]> {
  const answered = once(member, 'message');
  ask();
  const [message] = (await answered) as [FromIssuer];
  if (message === 'ready') throw new Error('said to be ready twice');
  if ('error' in message) throw message.error;
  return message.ids;
}
