import { judgeOrder } from '../order/judge-order.js';
import { runWorkers } from '../worker/run-workers.js';
import type { BenchPlan, CaseStep, Phase } from './bench-run.js';

/**
 * The last process makes this many times fewer calls, as one at the edge of a cluster does: what it holds in
 * memory grows old, which processes that are all as busy never show.
 */
const IDLER_SHARE = 100;

/** Fewer calls of all processes at once, each with its times, and the highest order that they show. */
export function orderPhase({ profile, processes, records }: BenchPlan): Phase {
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
          const epoch = process.hrtime.bigint();
          const requests = Array.from({ length: processes }, (_, index) => ({
            count: index === processes - 1 ? Math.ceil(calls / IDLER_SHARE) : calls,
            windowMs,
            concurrency,
            epoch,
          }));
          const traces = await runWorkers('order', requests, record.name, context);
          record.order = judgeOrder(traces, benchCase.guarantees);
          const id = traces[0]?.ids.at(-1);
          if (id !== undefined) record.anatomy = benchCase.anatomyOf?.(id);
        },
      },
    ];
  });
  return { title: 'order', timeoutMs: profile.timeoutMs.trial, steps };
}
