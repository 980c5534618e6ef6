import { rmSync } from 'node:fs';
import type { BenchCase, Preparable, Subject } from '../bench-case.js';
import type { ProbeCase } from '../claims/claim.js';
import { soak } from '../faults/soak.js';
import { runClosedLoops } from '../measure/closed-loop.js';
import { runOpenLoop } from '../measure/open-loop.js';
import { runSyncBursts } from '../measure/sync-bursts.js';
import { recordOrder } from '../order/record-order.js';
import { issueIds } from '../uniqueness/issue-ids.js';
import { checkPartitions } from '../uniqueness/partitions.js';
import type { Assignment, FromWorker, SubjectRef, ToWorker } from './protocol.js';

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
// It may have gone while the modules were loading, before anybody listened.
if (!process.connected) orphaned();

let go: () => void = () => {};
const started = new Promise<void>((resolve) => {
  go = resolve;
});

process.on('message', (message: ToWorker) => {
  if (message.type === 'go') go();
  else void work(message.assignment).finally(leave);
});

async function work(assignment: Assignment): Promise<void> {
  let answer: unknown;
  try {
    const job = await openJob(assignment);
    await tell({ type: 'ready' });
    await started;
    answer = await job.run();
    await job.close?.();
  } catch (error) {
    const { name, message, stack } = error as Error;
    const invalid = name === 'InvalidOutput';
    return tell({ type: 'failed', invalid, message: invalid ? message : (stack ?? String(error)) });
  }
  await tell({ type: 'answer', answer });
}

/** What is left to do once everything is open. */
interface Job {
  run(): Promise<unknown>;
  close?(): Promise<void>;
}

async function openJob(assignment: Assignment): Promise<Job> {
  if (assignment.kind === 'check') return { run: () => checkPartitions(assignment.request) };
  if (assignment.subject === undefined) throw new Error(`job "${assignment.kind}" needs a case`);
  if (assignment.kind === 'probe') {
    const probe = await (await find<ProbeCase>('probes', assignment.subject)).open(
      assignment.subject.environment,
    );
    return { run: () => probe.measure(assignment.request.ms), close: () => probe.close() };
  }
  const benchCase = await find<BenchCase>('cases', assignment.subject);
  const subject = await benchCase.open(assignment.subject.environment);
  await subject.ready?.();
  return { run: () => runOn(subject, benchCase, assignment), close: () => subject.close() };
}

async function find<C extends Preparable>(list: string, { casesUrl, name }: SubjectRef): Promise<C> {
  const module = (await import(casesUrl)) as Readonly<Record<string, readonly C[]>>;
  const found = module[list]?.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`${list} of ${casesUrl}: there is no "${name}"`);
  return found;
}

function runOn(
  subject: Subject,
  benchCase: BenchCase,
  assignment: Exclude<Assignment, { kind: 'check' | 'probe' }>,
): Promise<unknown> {
  switch (assignment.kind) {
    case 'sync':
      return runSyncBursts(subject, benchCase, assignment.request);
    case 'loop':
      return runClosedLoops(subject, benchCase, assignment.request);
    case 'open':
      return runOpenLoop(subject, benchCase, assignment.request);
    case 'soak':
      return soak(subject, assignment.request);
    case 'issue':
      return issueIds(subject, benchCase.format, assignment.request);
    case 'order':
      return recordOrder(subject, benchCase.format, assignment.request);
  }
}

function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

/** Ends the process even if the case left a socket or a timer behind; the parent has the answer by now. */
function leave(): void {
  finished = true;
  process.disconnect?.();
}
