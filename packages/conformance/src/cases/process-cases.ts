import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { assertHistory, type HistoryChecks } from '../checker/check-history.js';
import { emptyHistory, type History, monotonicNow } from '../history.js';
import { recordThreads, startProcesses } from '../members/recording.js';
import { recordCalls } from '../record-calls.js';
import type { ConformanceSubject } from '../subject.js';
import { orderOf } from './assert-ids.js';
import { type ConformanceCase, never, withGenerator } from './conformance-case.js';
import { appendHistory, MIXED, PROCESSES, processLives } from './process-lives.js';

/** Milliseconds between two calls of a caller in the run that must last longer than the skew. */
const PACE_MS = 10;

/** How long one generator of that run issues as many ids as it can, in milliseconds. */
const LOAD_MS = 300;

/** Ids of one call under load. */
const LOAD_BATCH = 1_000;

/** Bytes that a generator may keep for each id, by which a measurement may be wrong. */
const BYTES_PER_ID = 6;

const THREADS = 3;

export const processCases: readonly ConformanceCase[] = [
  {
    name: `issues no id twice from ${PROCESSES} processes`,
    skip: ({ unique }) => (unique === 'process' ? 'ids are unique in one process only' : undefined),
    run: async (subject) => check(subject, (await processLives(subject)).together, { levels: ['unique'] }),
  },
  {
    name: 'issues no id twice from processes that start after others have closed or were killed',
    skip: ({ unique }) => (unique === 'process' ? 'ids are unique in one process only' : undefined),
    run: async (subject) => check(subject, (await processLives(subject)).all, { levels: ['unique'] }),
  },
  {
    name: `issues increasing ids in each of ${PROCESSES} processes, first come, first served`,
    skip: ({ order }) => (order.process === 'none' ? 'ids of one generator are not said to rise' : undefined),
    run: async (subject) =>
      check(subject, (await processLives(subject)).together, { levels: ['increasing', 'fifo'] }),
  },
  {
    name: `issues ids in real-time order across ${PROCESSES} processes`,
    skip: ({ order }) =>
      order.cluster === 'real-time' ? undefined : 'processes together are not said to rise',
    run: async (subject) => check(subject, (await processLives(subject)).all, { levels: ['real-time'] }),
  },
  {
    name: `orders the ids of ${PROCESSES} processes within the skew it claims, also beside one under full load`,
    limits: true,
    skip: ({ order }) => (order.cluster === 'k-sorted' ? undefined : 'ids are not said to be k-sorted'),
    run: async (subject) => {
      const { skewMs = 0 } = subject.guarantees.order;
      const { module } = subject;
      const context = await subject.fresh();
      const history = await withGenerator(
        subject,
        async (generator) => {
          await using recording = await startProcesses({
            module,
            context,
            processes: PROCESSES,
            callers: 1,
            batch: MIXED,
            pauseMs: PACE_MS,
            // Calls within the skew prove nothing: the run needs pairs that are further apart.
            durationMs: skewMs + 500,
          });
          const loaded = emptyHistory();
          const end = performance.now() + LOAD_MS;
          for (let call = 1; performance.now() < end; call++) {
            const invoke = monotonicNow();
            const ids = await generator.nextBatch(LOAD_BATCH);
            const extremes = [...ids.slice(0, 1), ...ids.slice(-1)];
            loaded.records.push({ process: 1, call, invoke, complete: monotonicNow(), ids: extremes });
            // Reports of the other processes come in between.
            await setImmediate();
          }
          const history = await recording.history;
          appendHistory(loaded, PROCESSES, history);
          return history;
        },
        context,
      );
      check(subject, history, { levels: ['k-sorted'], skewMs });
    },
  },
  {
    name: 'issues no id twice from worker threads, beside their main thread and after others have ended',
    skip: never,
    run: async (subject) => {
      const context = await subject.fresh();
      const plan = { callers: 4, perCaller: 25, batch: 40 };
      const options = { ...plan, module: subject.module, context };
      const own = emptyHistory();
      const [history] = await Promise.all([
        recordThreads({ ...options, processes: THREADS }),
        withGenerator(subject, (generator) => recordCalls(generator, own, { ...plan, process: 1 }), context),
      ]);
      appendHistory(own, THREADS, history);
      appendHistory(await recordThreads({ ...options, processes: 1 }), THREADS + 1, history);
      check(subject, history, { levels: ['unique'] });
    },
  },
  {
    name: `keeps less than ${BYTES_PER_ID} bytes of memory per id`,
    limits: true,
    skip: never,
    run: async (subject) => {
      const { keptBytes } = await (await processLives(subject)).inspect();
      assert.ok(keptBytes < BYTES_PER_ID, `the generator kept ${keptBytes.toFixed(1)} bytes per id`);
    },
  },
  {
    name: 'lets its process end within 2 s of close',
    limits: true,
    skip: never,
    run: async (subject) => {
      const { keptBy } = await (await processLives(subject)).inspect();
      assert.equal(keptBy.length, 0, `the process was kept alive by ${keptBy.join(', ')}`);
    },
  },
];

function check(subject: ConformanceSubject, history: History, checks: HistoryChecks): void {
  const ordered = checks.levels.some((level) => level !== 'unique');
  assertHistory(history, ordered ? { ...checks, compare: orderOf(subject) } : checks);
}
