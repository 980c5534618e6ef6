import { judgeOrder } from '../order/judge-order.js';
import { runWorkers } from '../worker/run-workers.js';
import type { BenchRun, CaseStep, Phase } from './bench-run.js';

/** Fewer calls of all processes at once, each with its times, and the highest order that they show. */
export function orderPhase({ profile, processes, records }: BenchRun): Phase {
  const { calls, windowMs, concurrency } = profile.order;
  const steps = records.flatMap((record): CaseStep[] => {
    const { benchCase } = record;
    if (benchCase.kind !== 'strategy') return [];
    return [
      {
        phase: 'order',
        name: benchCase.name,
        seconds: 1.5 + windowMs / 1_000,
        record,
        async run(context) {
          const request = { count: calls, windowMs, concurrency, epoch: process.hrtime.bigint() };
          const traces = await runWorkers('order', Array(processes).fill(request), record.name, context);
          record.order = judgeOrder(traces, benchCase.guarantees);
        },
      },
    ];
  });
  return { title: 'order', timeoutMs: profile.timeoutMs.trial, steps };
}
