import type { CaseEnvironment } from '../bench-case.js';
import type { Assignment, JobKind, Jobs, SubjectRef } from './protocol.js';
import { WorkerError, type WorkerLimits, WorkerProcess } from './worker-process.js';

/** What all workers of a run share. */
export interface WorkerContext extends WorkerLimits {
  readonly casesUrl: string;
  readonly environment: Omit<CaseEnvironment, 'processIndex'>;
}

/**
 * Runs one worker per request at the same time: all open the case first, then all start. Rejects with the
 * first failure, naming the process, after the others were killed; no worker is left when it settles.
 */
export async function runWorkers<K extends JobKind>(
  kind: K,
  requests: readonly Jobs[K]['request'][],
  caseName: string | undefined,
  context: WorkerContext,
): Promise<Jobs[K]['answer'][]> {
  const workers = requests.map((request, processIndex) => {
    const subject: SubjectRef | undefined =
      caseName === undefined
        ? undefined
        : {
            casesUrl: context.casesUrl,
            name: caseName,
            environment: { ...context.environment, processIndex },
          };
    const assignment = { kind, request, ...(subject && { subject }) };
    return new WorkerProcess<K>(assignment as Assignment & { kind: K }, context);
  });
  const answers = Promise.all(
    workers.map(({ answer }, index) => answer.catch(failureOf(index, requests.length))),
  );
  try {
    await Promise.race([Promise.all(workers.map(({ ready }) => ready)), answers]);
    for (const worker of workers) worker.go();
    return await answers;
  } finally {
    for (const worker of workers) worker.kill();
    await Promise.allSettled(workers.map(({ answer }) => answer));
  }
}

function failureOf(index: number, count: number): (error: unknown) => never {
  return (error) => {
    if (error instanceof WorkerError && count > 1) {
      throw new WorkerError(`process ${index}: ${error.message}`, error.invalid);
    }
    throw error;
  };
}
