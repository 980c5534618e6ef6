import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FromIssuer, IssuedIds, ToIssuer } from './issue-ids.js';

const script = new URL('./issue-ids.ts', import.meta.url);
const execArgv = ['--import', import.meta.resolve('tsx')];

/** A worker thread or process that is ready to issue. */
export interface IssuingMember {
  /** Rejects with what its generator threw. */
  issue(order: ToIssuer): Promise<IssuedIds>;
  end(): Promise<void>;
}

export async function startThread(): Promise<IssuingMember> {
  const worker = await startWorker(script);
  return {
    issue: (order) => answer(worker, () => worker.postMessage(order)),
    end: async () => void (await worker.terminate()),
  };
}

/**
 * A thread that runs a TypeScript file and is ready. A worker ignores `--import`, hence the line of script.
 */
export async function startWorker(file: URL): Promise<Worker> {
  const [api, entry] = [import.meta.resolve('tsx/esm/api'), file.href].map((url) => JSON.stringify(url));
  const worker = new Worker(
    `import(${api}).then(({ register }) => { register(); return import(${entry}); })`,
    { eval: true, execArgv: [] },
  );
  await once(worker, 'message');
  return worker;
}

export function startProcess(): Promise<IssuingMember> {
  return ready(fork(script, [], { execArgv, serialization: 'advanced' }));
}

export function startClusterWorker(): Promise<IssuingMember> {
  cluster.setupPrimary({ exec: fileURLToPath(script), execArgv, serialization: 'advanced' });
  return ready(cluster.fork());
}

type Child = NodeJS.EventEmitter & { send(message: ToIssuer): boolean; disconnect(): unknown };

async function ready(child: Child): Promise<IssuingMember> {
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

async function answer(member: NodeJS.EventEmitter, ask: () => void): Promise<IssuedIds> {
  const answered = once(member, 'message');
  ask();
  const [message] = (await answered) as [FromIssuer];
  if (message === 'ready') throw new Error('said to be ready twice');
  if ('error' in message) throw message.error;
  return message;
}
