import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compiledModule } from '@ids/conformance';
import type { FromIssuer, IssuedIds, ToIssuer } from './issue-ids.js';

const script = new URL('./issue-ids.ts', import.meta.url);

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

/** A thread that runs a TypeScript file and is ready. */
export async function startWorker(file: URL): Promise<Worker> {
  const worker = new Worker(await compiledModule(file), { execArgv: [] });
  await once(worker, 'message');
  return worker;
}

export async function startProcess(): Promise<IssuingMember> {
  return ready(fork(await compiledModule(script), [], { serialization: 'advanced' }));
}

export async function startClusterWorker(): Promise<IssuingMember> {
  const exec = fileURLToPath(await compiledModule(script));
  cluster.setupPrimary({ exec, serialization: 'advanced' });
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
