import { assertHistory, type HistoryChecks } from '../checker/check-history.js';
import type { History } from '../history.js';
import { recordProcesses, recordThreads } from '../members/recording.js';
import type { ConformanceSubject } from '../subject.js';
import { orderOf } from './assert-ids.js';
import { type ConformanceCase, never } from './conformance-case.js';

const PROCESSES = 4;

/**
 * What each process calls by turns. Batches alone would not show one that spoils the calls of `next` after
 * it.
 */
const MIXED = ['next', 'next', 3, 'next', 'next', 20, 'next'] as const;

/** Milliseconds between two calls of a caller in the run that must last longer than the skew. */
const PACE_MS = 10;

export const processCases: readonly ConformanceCase[] = [
  {
    name: `issues no id twice from ${PROCESSES} processes`,
    skip: ({ unique }) => (unique === 'process' ? 'ids are unique in one process only' : undefined),
    run: async (subject) => check(subject, await sharedRun(subject), { levels: ['unique'] }),
  },
  {
    name: `issues increasing ids in each of ${PROCESSES} processes, first come, first served`,
    skip: ({ order }) => (order.process === 'none' ? 'ids of one generator are not said to rise' : undefined),
    run: async (subject) => check(subject, await sharedRun(subject), { levels: ['increasing', 'fifo'] }),
  },
  {
    name: `issues ids in real-time order across ${PROCESSES} processes`,
    skip: ({ order }) =>
      order.cluster === 'real-time' ? undefined : 'processes together are not said to rise',
    run: async (subject) => check(subject, await sharedRun(subject), { levels: ['real-time'] }),
  },
  {
    name: `orders the ids of ${PROCESSES} processes within the skew it claims`,
    skip: ({ order }) => (order.cluster === 'k-sorted' ? undefined : 'ids are not said to be k-sorted'),
    run: async (subject) => {
      const { skewMs = 0 } = subject.guarantees.order;
      const history = await recordProcesses({
        module: subject.module,
        context: await subject.fresh(),
        processes: PROCESSES,
        callers: 1,
        batch: MIXED,
        pauseMs: PACE_MS,
        // Calls within the skew prove nothing: the run needs pairs that are further apart.
        durationMs: skewMs + 500,
      });
      check(subject, history, { levels: ['k-sorted'], skewMs });
    },
  },
  {
    name: 'issues no id twice from worker threads of one process',
    skip: never,
    run: async (subject) => {
      const context = await subject.fresh();
      const { module } = subject;
      const history = await recordThreads({
        module,
        context,
        processes: 3,
        callers: 4,
        perCaller: 25,
        batch: 40,
      });
      check(subject, history, { levels: ['unique'] });
    },
  },
];

const runs = new WeakMap<ConformanceSubject, Promise<History>>();

/** One run of all processes, shared by several cases: starting the processes takes most of the time. */
function sharedRun(subject: ConformanceSubject): Promise<History> {
  const known = runs.get(subject);
  if (known !== undefined) return known;
  const { module } = subject;
  const run = subject
    .fresh()
    .then((context) =>
      recordProcesses({ module, context, processes: PROCESSES, callers: 8, perCaller: 250, batch: MIXED }),
    );
  runs.set(subject, run);
  return run;
}

function check(subject: ConformanceSubject, history: History, checks: HistoryChecks): void {
  const ordered = checks.levels.some((level) => level !== 'unique');
  assertHistory(history, ordered ? { ...checks, compare: orderOf(subject) } : checks);
}
