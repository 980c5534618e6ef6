import { rmSync } from 'node:fs';
import type { BenchCase, Subject } from '../bench-case.js';
import { runClosedLoops } from '../measure/closed-loop.js';
import { runSyncBursts } from '../measure/sync-bursts.js';
import { recordOrder } from '../order/record-order.js';
import { checkPartitions } from '../uniqueness/check-partitions.js';
import { issueIds } from '../uniqueness/issue-ids.js';
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
    const opened = assignment.subject && (await open(assignment.subject));
    await tell({ type: 'ready' });
    await started;
    answer = await run(assignment, opened);
    await opened?.subject.close();
  } catch (error) {
    const { name, message, stack } = error as Error;
    const invalid = name === 'InvalidOutput';
    return tell({ type: 'failed', invalid, message: invalid ? message : (stack ?? String(error)) });
  }
  await tell({ type: 'answer', answer });
}

interface Opened {
  readonly benchCase: BenchCase;
  readonly subject: Subject;
}

async function open({ casesUrl, name, environment }: SubjectRef): Promise<Opened> {
  const { cases } = (await import(casesUrl)) as { readonly cases: readonly BenchCase[] };
  const benchCase = cases.find((candidate) => candidate.name === name);
  if (benchCase === undefined) throw new Error(`${casesUrl} has no case "${name}"`);
  const subject = await benchCase.open(environment);
  await subject.ready?.();
  return { benchCase, subject };
}

function run(assignment: Assignment, opened: Opened | undefined): Promise<unknown> {
  if (assignment.kind === 'check') return checkPartitions(assignment.request);
  if (opened === undefined) throw new Error(`job "${assignment.kind}" needs a case`);
  const { subject, benchCase } = opened;
  switch (assignment.kind) {
    case 'sync':
      return runSyncBursts(subject, benchCase, assignment.request);
    case 'loop':
      return runClosedLoops(subject, benchCase, assignment.request);
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
